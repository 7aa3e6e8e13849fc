//! The errors of the build-script route, with the place in the file of declarations, as a build log shows them.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};

use gaussform_symbolic::Error;

use crate::kernel::KernelError;

/// Why declarations could not be compiled.
///
/// `Debug` prints the same message as `Display`, because that is what a failing build script
/// shows.
#[non_exhaustive]
pub enum BuildError {
    /// Not run by cargo, and no directory was set.
    OutDir,
    /// Two files of declarations would be written to one place.
    Target {
        /// The file that came first.
        first: PathBuf,
        /// The other.
        second: PathBuf,
        /// Where both would go.
        target: PathBuf,
    },
    /// A file could not be read.
    Read {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A file could not be written.
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Declarations are wrong or have no kernel: all that was found, at least one.
    Declarations(Vec<Mistake>),
    /// Committed code is not what the declarations give: at least one file.
    Stale(Vec<Stale>),
}

/// A mistake at one place of a file of declarations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The number of characters on this line that are meant, at least 1.
    pub width: usize,
    /// The text of the line.
    pub source_line: String,
    /// The kind of the mistake.
    pub problem: Problem,
}

/// The kind of a mistake in a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The declaration is not in the language, or not in the class.
    Declaration(Box<Error>),
    /// The activation has no kernel.
    Kernel(KernelError),
    /// The type would have the name of another one.
    Type {
        /// The name of the type.
        name: String,
        /// The activation that has it.
        other: String,
    },
}

/// Committed code that is not what the declarations give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stale {
    /// The file of declarations.
    pub source: PathBuf,
    /// The file with its code.
    pub target: PathBuf,
    /// The first line that differs, from 1; `None` if there is no such file.
    pub line: Option<usize>,
    /// Whether the command line makes this code.
    pub(super) usual: bool,
}

impl Mistake {
    pub(super) fn new(path: &Path, text: &str, at: Range<usize>, problem: Problem) -> Self {
        let start = at.start.min(text.len());
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].split('\n').next().unwrap_or_default();
        let source_line = line.strip_suffix('\r').unwrap_or(line);
        // A span may go on in the next line, and carets stand below this one.
        let end = at.end.clamp(start, (line_start + source_line.len()).max(start));
        Self {
            path: path.to_owned(),
            line: text[..line_start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            width: text[start..end].chars().count().max(1),
            source_line: source_line.to_owned(),
            problem,
        }
    }
}

/// `activations.gf:2:17: what is wrong`, the line, and carets below the place.
impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, column, width, source_line, problem } = self;
        writeln!(f, "{}:{line}:{column}: {problem}", path.display())?;
        // A tab is as wide below as above.
        let before = source_line.chars().take(column - 1);
        let pad: String = before.map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        write!(f, "  {source_line}\n  {pad}{}", "^".repeat(*width))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Declaration(error) => error.fmt(f),
            Self::Kernel(error) => error.fmt(f),
            Self::Type { name, other } => write!(
                f,
                "the type `{name}` is that of `{other}` already; choose a name with other letters \
                 or digits"
            ),
        }
    }
}

impl fmt::Display for Stale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (source, target) = (self.source.display(), self.target.display());
        match self.line {
            None => write!(f, "{target} does not exist")?,
            Some(line) => write!(f, "{target}:{line}: this is not the code of {source}")?,
        }
        if self.usual {
            write!(
                f,
                "; write it with\n  gaussform emit --target rust-crate --file {source} --out {target}"
            )
        } else {
            f.write_str("; write it with `compile` of the same `Config`")
        }
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OutDir => f.write_str(
                "OUT_DIR is not set: call this from a build script, or name a directory with `out_dir`",
            ),
            Self::Target { first, second, target } => write!(
                f,
                "{} and {} would both be written to {}; rename one of them",
                first.display(),
                second.display(),
                target.display()
            ),
            Self::Read { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            Self::Write { path, source } => write!(f, "cannot write {}: {source}", path.display()),
            Self::Declarations(mistakes) => {
                separated(f, mistakes, "\n\n")?;
                match mistakes.len() {
                    1 => Ok(()),
                    n => write!(f, "\n\n{n} errors"),
                }
            }
            Self::Stale(stale) => separated(f, stale, "\n"),
        }
    }
}

fn separated<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    items: &[T],
    separator: &str,
) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(separator)?;
        }
        item.fmt(f)?;
    }
    Ok(())
}

impl fmt::Debug for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for BuildError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Read { source, .. } | Self::Write { source, .. } => Some(source),
            Self::Declarations(mistakes) => match &mistakes.first()?.problem {
                Problem::Declaration(error) => Some(error.as_ref()),
                Problem::Kernel(error) => Some(error),
                Problem::Type { .. } => None,
            },
            Self::OutDir | Self::Target { .. } | Self::Stale(_) => None,
        }
    }
}
