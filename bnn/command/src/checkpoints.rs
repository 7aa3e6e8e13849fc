//! The folder of checkpoints of a run of `train`: one file for each model, from which the run goes on after an
//! interruption.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gaussform_bnn::{Blueprint, Checkpoint, Every, Functions, Model, Run, StoreError};

use crate::args::Train;
use crate::failure::Failure;

/// The time between checkpoints. A shorter training leaves one only if it is interrupted.
const EVERY: Duration = Duration::from_secs(60);

/// The key of the run in the notes of a member whose training has ended.
const RUN: &str = "run";

/// The key of the weights of `--from` in the notes of every file; files of a run without them lack it.
const FROM: &str = "from";

/// A model of a file with its notes.
type Stored = (Model, BTreeMap<String, String>);

/// The key of the classes of the target in the notes of every file; files of a run on numbers lack it.
const CLASSES: &str = "classes";

/// The key of the number of models that are trained, in the notes of every file.
const MEMBERS: &str = "members";

/// The network of a run, and the weights that it begins with.
pub(crate) struct Beginning<'a> {
    pub(crate) blueprint: &'a Blueprint,
    /// The classes of the target; none of numbers.
    pub(crate) classes: Option<String>,
    /// The number of models that are trained.
    pub(crate) members: usize,
    /// The weights of `--from` as a text that other ones do not have; none if the seed draws the first weights.
    pub(crate) from: Option<String>,
}

impl Beginning<'_> {
    fn notes(&self) -> BTreeMap<String, String> {
        let from = self.from.iter().map(|from| (FROM.to_owned(), from.clone()));
        let classes = self.classes.iter().map(|classes| (CLASSES.to_owned(), classes.clone()));
        let members = (MEMBERS.to_owned(), self.members.to_string());
        from.chain(classes).chain([members]).collect()
    }
}

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
            // A path need not be UTF-8, so that the ending is added to the text of the system.
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
            _ => checkpoints.checked(),
        }
    }

    /// Refuses a folder that cannot be made, before hours of work.
    fn checked(self) -> Result<Self, Failure> {
        let there = self.folder.ancestors().find(|folder| folder.exists());
        match there {
            Some(file) if !file.is_dir() => {
                let help = "name a folder by --checkpoint";
                Err(Failure::file(file, "is no folder, and checkpoints need one", help))
            }
            _ => Ok(self),
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

    /// The path, the interval and the notes of the checkpoints of a member.
    pub(crate) fn place(&self, number: usize, beginning: &Beginning<'_>) -> Checkpoint {
        let (path, every) = (self.training(number), Every::Time(EVERY));
        Checkpoint { path, every, notes: beginning.notes() }
    }

    /// The path of the checkpoint from which a member goes on, if there is one. It must have begun as the options say.
    pub(crate) fn to_resume(
        &self,
        number: usize,
        beginning: &Beginning<'_>,
    ) -> Result<Option<PathBuf>, Failure> {
        let path = self.training(number);
        Ok(self.read(&path, beginning)?.map(|_| path))
    }

    /// A member whose training has ended already, if there is one. It must be of this run.
    pub(crate) fn finished(
        &self,
        number: usize,
        beginning: &Beginning<'_>,
        run: &Run,
    ) -> Result<Option<Model>, Failure> {
        let path = self.trained(number);
        let Some((model, notes)) = self.read(&path, beginning)? else { return Ok(None) };
        let store = |source| Failure::Model { path: path.clone(), source };
        let note = notes.get(RUN).map(String::as_str).unwrap_or_default();
        let then = serde_json::from_str(note)
            .map_err(|e| store(StoreError::Description(format!("its run is not known: {e}"))))?;
        run.check(&then).map_err(store)?;
        Ok(Some(model))
    }

    fn read(&self, path: &Path, beginning: &Beginning<'_>) -> Result<Option<Stored>, Failure> {
        if !path.is_file() {
            return Ok(None);
        }
        let store = |source| Failure::Model { path: path.to_owned(), source };
        let (model, notes) = Model::load(path, &Functions::library()).map_err(store)?;
        if model.network().blueprint() != beginning.blueprint {
            let problem = "is of a network with other layers, priors or noise";
            return Err(Failure::file(path, problem, "give the options that the run began with"));
        }
        let help = "give the table and the options that the run began with";
        let [then, now] = [notes.get(CLASSES), beginning.classes.as_ref()]
            .map(|classes| classes.map_or("no classes", String::as_str));
        if then != now {
            let problem = format!("is of a run whose target has {then}, not {now}");
            return Err(Failure::file(path, problem, help));
        }
        if notes.get(MEMBERS) != Some(&beginning.members.to_string()) {
            let then = notes.get(MEMBERS).map_or("another number of", String::as_str);
            let problem = format!("is of a run of {then} members, not of {}", beginning.members);
            return Err(Failure::file(path, problem, help));
        }
        let (then, now) = (notes.get(FROM), beginning.from.as_ref());
        if then == now {
            return Ok(Some((model, notes)));
        }
        let without = "the first weights of a seed";
        let [then, now] = [then, now].map(|from| from.map_or(without, String::as_str));
        let problem = format!("is of a run that began with {then}, not with {now}");
        Err(Failure::file(path, problem, "give the weights and options that the run began with"))
    }

    /// Writes a member whose training has ended by this run, while others go on.
    pub(crate) fn finish(
        &self,
        number: usize,
        model: &Model,
        beginning: &Beginning<'_>,
        run: &Run,
    ) -> Result<(), Failure> {
        let path = self.trained(number);
        // A structure of texts and whole numbers has no reason to fail.
        let run = serde_json::to_string(run).unwrap_or_default();
        let mut notes = beginning.notes();
        notes.insert(RUN.to_owned(), run);
        model
            .save(&path, &notes)
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

#[cfg(test)]
mod tests {
    use gaussform_bnn::{
        Functions, LikelihoodKind, Matrix, Model, Run, Table, TrainConfig, method,
    };
    use tempfile::TempDir;

    use super::{Beginning, Checkpoints};

    /// A member that other settings or other rows made is not taken for one of the run that goes on.
    #[test]
    fn a_finished_member_is_of_its_run() {
        let folder = TempDir::new().unwrap();
        let checkpoints = Checkpoints { folder: folder.path().to_owned(), members: 2 };
        let data = |last: f64| {
            Table::regression(Matrix::new(1, vec![1.0, 2.0, 3.0]).unwrap(), &[1.0, 3.0, last])
        };
        let [table, other] = [data(2.0), data(5.0)].map(Result::unwrap);
        let library = Functions::library();
        let g = library.get("relu").unwrap();
        let blueprint = method::nnvi(1, &[2], LikelihoodKind::normal(1), g);
        let config = TrainConfig::suited_to(&blueprint);
        let model = Model::new(&blueprint, &table, 0).unwrap();
        let run = Run::of(&config, &table);
        let from = |weights: Option<&str>| Beginning {
            blueprint: &blueprint,
            classes: Some("x, y".to_owned()),
            members: 2,
            from: weights.map(str::to_owned),
        };
        let own = from(Some("weights of one"));
        assert!(checkpoints.finished(0, &own, &run).unwrap().is_none());
        checkpoints.finish(0, &model, &own, &run).unwrap();
        assert!(checkpoints.finished(0, &own, &run).unwrap().is_some());
        let more = TrainConfig { epochs: config.epochs + 1, ..config.clone() };
        for (run, problem) in [
            (Run::of(&more, &table), "the checkpoint is of another run: it began with epochs"),
            (Run::of(&config, &other), "it trained on other data"),
        ] {
            let said = checkpoints.finished(0, &own, &run).unwrap_err().to_string();
            assert!(said.contains(problem) && said.contains("trained-1.safetensors"), "{said}");
        }
        for (beginning, now) in [
            (from(Some("weights of two")), "weights of two"),
            (from(None), "the first weights of a seed"),
        ] {
            let said = checkpoints.finished(0, &beginning, &run).unwrap_err().to_string();
            let problem = format!("a run that began with weights of one, not with {now}\n  help:");
            assert!(said.contains(&problem), "{said}");
        }
        let classes = Beginning { classes: None, ..from(Some("weights of one")) };
        let members = Beginning { members: 3, ..from(Some("weights of one")) };
        for (beginning, problem) in [
            (classes, "whose target has x, y, not no classes"),
            (members, "a run of 2 members, not of 3"),
        ] {
            let said = checkpoints.finished(0, &beginning, &run).unwrap_err().to_string();
            assert!(said.contains(problem), "{said}");
        }
    }
}
