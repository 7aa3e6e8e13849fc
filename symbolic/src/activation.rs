//! An activation: a name, declared parameters and a piecewise polynomial.

use crate::derivation::Derivation;
use crate::error::{Error, ErrorKind};
use crate::grammar::{Declaration, Input, parse_file, parse_input};
use crate::lower::{self, Library};
use crate::parameter::Parameter;
use crate::piecewise::Piecewise;

/// A piecewise-polynomial function of one variable, with its declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Activation {
    /// The name; `g` for a bare expression.
    pub name: String,
    /// The declared parameters.
    pub parameters: Vec<Parameter>,
    /// The function, in normal form.
    pub function: Piecewise,
    /// The function with its values at single points, for calls by other activations.
    pub(crate) pointwise: Piecewise,
}

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

    /// As [`parse`](Self::parse), where the text may call the activations of `library`.
    ///
    /// # Errors
    ///
    /// As for [`parse`](Self::parse).
    pub fn parse_with(text: &str, library: &Library) -> Result<Self, Error> {
        match parse_input(text)? {
            Input::Declaration(declaration) => Self::from_declaration(&declaration, library),
            Input::Expression(expression) => {
                let function = lower::expression(&expression, library)?;
                Ok(Self::new("g".to_owned(), Vec::new(), function))
            }
        }
    }

    /// Reads a file of declarations; each may call those before it, and those of `library`.
    ///
    /// # Errors
    ///
    /// As for [`parse`](Self::parse), and if a name is declared twice.
    pub fn parse_file(text: &str, library: &Library) -> Result<Vec<Self>, Error> {
        let mut known = library.clone();
        let mut activations: Vec<Self> = Vec::new();
        for declaration in parse_file(text)? {
            let activation = Self::from_declaration(&declaration, &known)?;
            if activations.iter().any(|other| other.name == activation.name) {
                let kind = ErrorKind::Duplicate(activation.name);
                return Err(Error::new(kind, declaration.name.span).help("choose another name"));
            }
            known.insert(activation.name.clone(), activation.clone());
            activations.push(activation);
        }
        Ok(activations)
    }

    /// Lowers a syntax tree.
    ///
    /// # Errors
    ///
    /// If the function is not in the class.
    pub fn from_declaration(declaration: &Declaration, library: &Library) -> Result<Self, Error> {
        let (parameters, function) = lower::declaration(declaration, library)?;
        Ok(Self::new(declaration.name.text.clone(), parameters, function))
    }

    fn new(name: String, parameters: Vec<Parameter>, pointwise: Piecewise) -> Self {
        Self { name, parameters, function: pointwise.normal_form(), pointwise }
    }

    /// Derives E\[g(u)ⁿ\] for u ~ N(γ, ξ²).
    ///
    /// # Errors
    ///
    /// If `n` exceeds the limit on orders, or the derivation takes too much work.
    pub fn moment(&self, n: u32) -> Result<Derivation, Error> {
        Derivation::moment(&self.function, n)
    }

    /// Derives Var g(u) for u ~ N(γ, ξ²).
    ///
    /// # Errors
    ///
    /// If the derivation takes too much work.
    pub fn variance(&self) -> Result<Derivation, Error> {
        Derivation::variance(&self.function)
    }
}
