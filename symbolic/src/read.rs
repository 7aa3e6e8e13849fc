//! Activations from text: a declaration, a bare expression, or a file of declarations.

use std::cell::Cell;

use crate::activation::{Activation, Header};
use crate::error::{Error, ErrorKind};
use crate::grammar::{Declaration, Entry, Input, Name, parse_input, read_file};
use crate::lower::{self, Library};

impl Activation {
    /// Reads a declaration, `relu(x) = max(0, x)`, or a bare expression in `x`.
    ///
    /// ```
    /// # use gaussform_symbolic::Activation;
    /// let hat = Activation::parse("max(0, 1 - |x|)")?;
    /// assert_eq!(hat.function.knots().len(), 3);
    /// # Ok::<(), gaussform_symbolic::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the text is not in the language, or the function not in the class.
    pub fn parse(text: &str) -> Result<Self, Error> {
        Self::parse_with(text, &Library::new())
    }

    /// Reads a declaration or a bare expression in `x`, in which the activations of `library` may be called.
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`parse`](Self::parse).
    pub fn parse_with(text: &str, library: &Library) -> Result<Self, Error> {
        match parse_input(text)? {
            Input::Declaration(declaration) => Self::from_declaration(&declaration, library),
            Input::Expression(expression) => {
                let header = Header::default();
                let (domain, pointwise) = lower::expression(&expression, library)?;
                Ok(Self::new("g".to_owned(), header, domain, pointwise))
            }
        }
    }

    /// Reads a file of declarations; each may call those before it, and those of `library`.
    ///
    /// # Errors
    ///
    /// [`Error`] in the cases of [`parse`](Self::parse), and if a name is declared twice. Only the first error is
    /// told; [`parse_all`](Self::parse_all) tells every one.
    pub fn parse_file(text: &str, library: &Library) -> Result<Vec<Self>, Error> {
        let pairs = Self::parse_all(text, library).map_err(|errors| {
            errors.into_iter().next().expect("a file that could not be read has an error")
        })?;
        Ok(pairs.into_iter().map(|(_, activation)| activation).collect())
    }

    /// Reads a file of declarations; each may call those before it, and those of `library`. Every activation comes
    /// with its declaration, in the order of the text.
    ///
    /// # Errors
    ///
    /// Every error in the file, in the order of the text. A declaration that only fails because it
    /// calls one that has failed is passed over.
    pub fn parse_all(
        text: &str,
        library: &Library,
    ) -> Result<Vec<(Declaration, Self)>, Vec<Error>> {
        let mut known = library.clone();
        let mut failed: Vec<String> = Vec::new();
        let mut pairs: Vec<(Declaration, Self)> = Vec::new();
        let mut errors = Vec::new();
        for entry in read_file(text) {
            let declaration = match entry {
                Entry::Read(declaration) => declaration,
                Entry::Broken { name, error } => {
                    failed.extend(name.map(|name| name.text));
                    errors.push(error);
                    continue;
                }
            };
            let Name { text: name, span } = declaration.name.clone();
            if pairs.iter().any(|(_, other)| other.name == name) {
                errors
                    .push(Error::new(ErrorKind::Duplicate(name), span).help("choose another name"));
                continue;
            }
            match Self::from_declaration(&declaration, &known) {
                Ok(activation) => {
                    known.insert(name, activation.clone());
                    pairs.push((declaration, activation));
                }
                Err(error) => {
                    // A call of what has failed is no mistake of its own.
                    let follows = matches!(&error.kind, ErrorKind::UnknownName(called) if failed.contains(called));
                    failed.push(name);
                    if !follows {
                        errors.push(error);
                    }
                }
            }
        }
        if errors.is_empty() { Ok(pairs) } else { Err(errors) }
    }

    /// Lowers a syntax tree.
    ///
    /// # Errors
    ///
    /// If the function is not in the class.
    pub fn from_declaration(declaration: &Declaration, library: &Library) -> Result<Self, Error> {
        let header = lower::header(declaration, library)?;
        let domain = lower::domain(declaration, &header)?;
        let pointwise = lower::body(declaration, &header, &domain, library, &Cell::new(0))?;
        Ok(Self::declared(declaration, header, domain, pointwise))
    }
}
