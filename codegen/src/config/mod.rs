//! The build-script route: a file of declarations to Rust in `OUT_DIR`, or to a committed file.

mod error;
mod files;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use gaussform_symbolic::{Activation, Library};

use crate::kernel::Kernel;
use crate::rust::{self, Options};
pub use error::{BuildError, Mistake, Problem, Stale};

/// Compiles files of declarations in a build script.
///
/// ```no_run
/// // build.rs
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// gaussform_codegen::Config::new().compile(&["activations.gf"])?;
/// # Ok(())
/// # }
/// ```
///
/// `activations.gf` becomes `$OUT_DIR/activations.rs`, which the library includes with
/// `gaussform::include_activations!("activations")`. A file declares one activation after another;
/// each may call those before it. Comments begin with `#`, and lines that begin with `##` become the
/// documentation of the type that follows:
///
/// ```text
/// # The activations of this network.
///
/// ## A ramp from 0 to 1 that is `width` wide.
/// ramp(x; width > 0) = clamp(x/width, 0, 1)
///
/// ## Two of them, one up and one down.
/// bump(x; a > 0, b > 0) = ramp(x + a, a) - ramp(x, b)
/// ```
///
/// A package that would rather commit the code than depend on this crate at build time writes it
/// once, and [checks](Self::check) it in a test.
#[derive(Clone, Debug, Default)]
pub struct Config {
    out_dir: Option<PathBuf>,
    library: Vec<String>,
    options: Options,
}

/// A file of declarations, compiled.
struct Compiled {
    source: PathBuf,
    target: PathBuf,
    code: String,
}

impl Config {
    /// The defaults: output to `OUT_DIR`, the runtime at `::gaussform::runtime`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes to this directory instead of `OUT_DIR`, and makes it if there is none.
    #[must_use]
    pub fn out_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.out_dir = Some(directory.into());
        self
    }

    /// The path of the runtime in the generated code.
    ///
    /// # Panics
    ///
    /// If `path` is not a path of Rust.
    #[must_use]
    pub fn runtime(mut self, path: &str) -> Self {
        let path: syn::Path = syn::parse_str(path).expect("a path such as ::gaussform::runtime");
        self.options.runtime = quote::quote!(#path);
        self
    }

    /// Declarations that the files may call and that no code is made for, such as
    /// `gaussform_generated::DECLARATIONS`, which the command line knows anyway.
    #[must_use]
    pub fn library(mut self, declarations: impl Into<String>) -> Self {
        self.library.push(declarations.into());
        self
    }

    /// Compiles each file of declarations, and tells cargo to run again when one changes. The code
    /// is written when all files are right, each file whole or not at all.
    ///
    /// # Errors
    ///
    /// If a file cannot be read or written, or declarations are wrong or have no kernel; the error
    /// has every mistake in every file, with line and column.
    #[allow(clippy::print_stdout, reason = "this is how a build script talks to cargo")]
    pub fn compile<P: AsRef<Path>>(&self, files: &[P]) -> Result<(), BuildError> {
        // First of all: after an error, too, a change of any file is worth another run.
        for file in files {
            println!("cargo::rerun-if-changed={}", file.as_ref().display());
        }
        let directory = match &self.out_dir {
            Some(directory) => directory.clone(),
            None => std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or(BuildError::OutDir)?,
        };
        for compiled in self.compiled(files, &directory)? {
            files::write(&compiled.target, &compiled.code)?;
        }
        Ok(())
    }

    /// Compares the code of each file of declarations with the file in [`out_dir`](Self::out_dir)
    /// that was written before, and writes nothing. For a test of a package that commits the code:
    ///
    /// ```no_run
    /// #[test]
    /// fn the_committed_code_is_that_of_the_declarations() {
    ///     gaussform_codegen::Config::new().out_dir("src").check(&["activations.gf"]).unwrap();
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`compile`](Self::compile), and an error if a file is missing or has other code. This error
    /// tells the first line that differs and the command that writes the file again.
    pub fn check<P: AsRef<Path>>(&self, files: &[P]) -> Result<(), BuildError> {
        let directory = self.out_dir.as_deref().ok_or(BuildError::OutDir)?;
        let runtime = self.options.runtime.to_string();
        let usual = runtime == Options::default().runtime.to_string() && self.library.is_empty();
        let mut stale = Vec::new();
        for Compiled { source, target, code } in self.compiled(files, directory)? {
            let committed = files::read_if_there(&target)?;
            if committed.as_deref().is_some_and(|committed| same_lines(committed, &code)) {
                continue;
            }
            let line = committed.map(|committed| first_difference(&committed, &code));
            stale.push(Stale { source, target, line, usual });
        }
        if stale.is_empty() { Ok(()) } else { Err(BuildError::Stale(stale)) }
    }

    /// Compiles all files, or tells all mistakes.
    fn compiled<P: AsRef<Path>>(
        &self,
        files: &[P],
        directory: &Path,
    ) -> Result<Vec<Compiled>, BuildError> {
        let library = self.known()?;
        let mut sources: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        let (mut compiled, mut mistakes) = (Vec::new(), Vec::new());
        for file in files {
            let source = file.as_ref().to_owned();
            let stem = source.file_stem().unwrap_or(source.as_os_str());
            let mut target = directory.join(stem);
            target.as_mut_os_string().push(".rs");
            // Files of different folders may have one stem.
            if let Some(first) = sources.insert(target.clone(), source.clone()) {
                return Err(BuildError::Target { first, second: source, target });
            }
            let text = files::read(&source)?;
            match self.code(&text, &library) {
                Ok(code) => compiled.push(Compiled { source, target, code }),
                Err(found) => mistakes.extend(
                    found
                        .into_iter()
                        .map(|(at, problem)| Mistake::new(&source, &text, at, problem)),
                ),
            }
        }
        if mistakes.is_empty() { Ok(compiled) } else { Err(BuildError::Declarations(mistakes)) }
    }

    /// The activations that files may call.
    fn known(&self) -> Result<Library, BuildError> {
        let mut library = Library::new();
        for text in &self.library {
            let pairs = Activation::parse_all(text, &library).map_err(|errors| {
                let path = Path::new("the library");
                let mistake = |error: gaussform_symbolic::Error| {
                    let at = error.span.start..error.span.end;
                    Mistake::new(path, text, at, Problem::Declaration(Box::new(error)))
                };
                BuildError::Declarations(errors.into_iter().map(mistake).collect())
            })?;
            library.extend(pairs.into_iter().map(|(_, known)| (known.name.clone(), known)));
        }
        Ok(library)
    }

    /// The code of a file of declarations, or what is wrong and where.
    fn code(
        &self,
        text: &str,
        library: &Library,
    ) -> Result<String, Vec<(std::ops::Range<usize>, Problem)>> {
        let pairs = Activation::parse_all(text, library).map_err(|errors| {
            let place = |error: gaussform_symbolic::Error| {
                (error.span.start..error.span.end, Problem::Declaration(Box::new(error)))
            };
            errors.into_iter().map(place).collect::<Vec<_>>()
        })?;
        let (mut kernels, mut problems) = (Vec::new(), Vec::new());
        let mut types: BTreeMap<String, String> = BTreeMap::new();
        for (declaration, activation) in &pairs {
            let at = declaration.name.span.start..declaration.name.span.end;
            let name = rust::type_name(&activation.name);
            // Different names may give one type.
            if let Some(other) = types.insert(name.clone(), activation.name.clone()) {
                problems.push((at.clone(), Problem::Type { name, other }));
            }
            match Kernel::new(activation) {
                Ok(kernel) => kernels.push(kernel),
                Err(error) => problems.push((at, Problem::Kernel(error))),
            }
        }
        if problems.is_empty() { Ok(rust::file(&kernels, &self.options)) } else { Err(problems) }
    }
}

/// Whether two texts have the same lines: version control may end them in its own way.
fn same_lines(a: &str, b: &str) -> bool {
    a.lines().eq(b.lines())
}

/// The number of the first line that is not the same in both, from 1.
fn first_difference(a: &str, b: &str) -> usize {
    1 + a.lines().zip(b.lines()).take_while(|(a, b)| a == b).count()
}
