//! The folder in which a run keeps what it needs to go on after an interruption.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use gaussform_bnn::{Blueprint, Checkpoint, Every, Functions, Model};

use crate::args::Train;
use crate::failure::Failure;

/// Training that takes less leaves no checkpoint but by an interrupt.
const EVERY: Duration = Duration::from_secs(60);

/// The folder of one run.
pub(crate) struct Checkpoints {
    folder: PathBuf,
}

impl Checkpoints {
    /// The folder that the options name, if what is there fits them: checkpoints if the run goes on, none if it begins.
    pub(crate) fn of(options: &Train) -> Result<Self, Failure> {
        let given = &options.interruption;
        let folder = given.checkpoint.clone().unwrap_or_else(|| {
            let mut beside = options.out.as_os_str().to_owned();
            beside.push(".checkpoint");
            PathBuf::from(beside)
        });
        let checkpoints = Self { folder };
        let there = checkpoints.file().is_file();
        match (given.resume, there) {
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

    fn file(&self) -> PathBuf {
        self.folder.join("training.safetensors")
    }

    /// Where and how often training writes.
    pub(crate) fn place(&self) -> Checkpoint {
        Checkpoint { path: self.file(), every: Every::Time(EVERY) }
    }

    /// The checkpoint to go on from, if it is of a network as the options describe it.
    pub(crate) fn to_resume(&self, blueprint: &Blueprint) -> Result<PathBuf, Failure> {
        let path = self.file();
        let store = |source| Failure::Model { path: path.clone(), source };
        let (model, _) = Model::load(&path, &Functions::library()).map_err(store)?;
        if model.network().blueprint() != blueprint {
            let problem = "is of a network with other layers, priors or noise";
            return Err(Failure::file(path, problem, "give the options that the run began with"));
        }
        Ok(path)
    }

    /// Removes them, after the end.
    pub(crate) fn remove(self) {
        // What cannot be removed does no harm; a folder with files of others stays.
        let _ = fs::remove_file(self.file());
        let _ = fs::remove_dir(&self.folder);
    }
}
