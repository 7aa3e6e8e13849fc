//! The folder of checkpoints of a run of `train`: one file for each model, from which the run goes on after an
//! interruption.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gaussform_bnn::{Blueprint, Checkpoint, Every, Functions, Model};

use crate::args::Train;
use crate::failure::Failure;

/// The time between checkpoints. A shorter training leaves one only if it is interrupted.
const EVERY: Duration = Duration::from_secs(60);

/// The folder of one run.
pub(crate) struct Checkpoints {
    folder: PathBuf,
    /// The number of models that are trained.
    members: usize,
}

impl Checkpoints {
    /// The folder that the options name. It must fit them: it has checkpoints if the run goes on, and none if the run
    /// begins.
    pub(crate) fn of(options: &Train) -> Result<Self, Failure> {
        let given = &options.interruption;
        let folder = given.checkpoint.clone().unwrap_or_else(|| {
            let mut beside = options.out.as_os_str().to_owned();
            beside.push(".checkpoint");
            PathBuf::from(beside)
        });
        let members = options.members.get();
        let checkpoints = Self { folder, members };
        match (given.resume, checkpoints.are_written()) {
            (true, false) => {
                let problem = "has no checkpoint to go on with";
                let help =
                    "leave --resume out to begin, or name the folder of the run by --checkpoint";
                Err(Failure::file(&checkpoints.folder, problem, help))
            }
            (false, true) => {
                let problem = "holds the checkpoint of a run that did not come to its end";
                let help = "--resume goes on with it; remove the folder to begin anew";
                Err(Failure::file(&checkpoints.folder, problem, help))
            }
            _ => Ok(checkpoints),
        }
    }

    /// The path of the checkpoint of a member in training, counted from 0.
    fn training(&self, number: usize) -> PathBuf {
        self.folder.join(format!("training-{}.safetensors", number + 1))
    }

    /// The path of a member whose training has ended.
    fn trained(&self, number: usize) -> PathBuf {
        self.folder.join(format!("trained-{}.safetensors", number + 1))
    }

    /// Whether the folder has a checkpoint.
    pub(crate) fn are_written(&self) -> bool {
        (0..self.members).any(|k| self.training(k).is_file() || self.trained(k).is_file())
    }

    /// The path and the interval of the checkpoints of a member.
    pub(crate) fn place(&self, number: usize) -> Checkpoint {
        Checkpoint { path: self.training(number), every: Every::Time(EVERY) }
    }

    /// The path of the checkpoint from which a member goes on, if there is one. Its network must be that of the
    /// options.
    pub(crate) fn to_resume(
        &self,
        number: usize,
        blueprint: &Blueprint,
    ) -> Result<Option<PathBuf>, Failure> {
        let path = self.training(number);
        Ok(self.read(&path, blueprint)?.map(|_| path))
    }

    /// A member whose training has ended already, if there is one.
    pub(crate) fn finished(
        &self,
        number: usize,
        blueprint: &Blueprint,
    ) -> Result<Option<Model>, Failure> {
        self.read(&self.trained(number), blueprint)
    }

    fn read(&self, path: &Path, blueprint: &Blueprint) -> Result<Option<Model>, Failure> {
        if !path.is_file() {
            return Ok(None);
        }
        let store = |source| Failure::Model { path: path.to_owned(), source };
        let (model, _) = Model::load(path, &Functions::library()).map_err(store)?;
        if model.network().blueprint() != blueprint {
            let problem = "is of a network with other layers, priors or noise";
            return Err(Failure::file(path, problem, "give the options that the run began with"));
        }
        Ok(Some(model))
    }

    /// Writes a member whose training has ended, while others go on.
    pub(crate) fn finish(&self, number: usize, model: &Model) -> Result<(), Failure> {
        let path = self.trained(number);
        model
            .save(&path, &BTreeMap::new())
            .map_err(|source| Failure::Model { path: path.clone(), source })?;
        // A member whose training has ended is looked for first.
        let _ = fs::remove_file(self.training(number));
        Ok(())
    }

    /// Removes the checkpoints after the end of the run.
    pub(crate) fn remove(self) {
        // What cannot be removed does no harm; a folder with files of others stays.
        for number in 0..self.members {
            let _ = fs::remove_file(self.training(number));
            let _ = fs::remove_file(self.trained(number));
        }
        let _ = fs::remove_dir(&self.folder);
    }
}
