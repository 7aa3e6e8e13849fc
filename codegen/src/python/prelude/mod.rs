//! The Python files that modules are put together from.

use gaussform_symbolic::Activation;

use super::{Target, signature};

/// A part of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Head,
    Support,
    Pick,
    Operations,
    Quadrature,
    Lift,
    Words,
    Triples,
    Polynomial,
    Around,
    Place,
    Pole,
    Edges,
    Ends,
    Powers,
    Where,
    Finish,
    Double,
    Single,
    Numbers,
    RuleNumbers,
    Moving,
    Loops,
    Walk,
    ByRules,
    AtNodes,
    Curved,
    Sum,
    Jump,
    Common,
    Value,
    AtZeroVariance,
    Results,
    Arguments,
    Interface,
    Pair,
    PairIntegral,
    PairResults,
    PairInterface,
}

impl Target {
    fn source(self, part: Part) -> &'static str {
        match (part, self) {
            (Part::Head, Self::Numpy) => include_str!("numpy_head.py"),
            (Part::Head, Self::Jax) => include_str!("jax_head.py"),
            (Part::Head, Self::PyTorch) => include_str!("pytorch_head.py"),
            (Part::Support, Self::Numpy) => "",
            (Part::Support, Self::Jax) => include_str!("jax_support.py"),
            (Part::Support, Self::PyTorch) => include_str!("pytorch_support.py"),
            (Part::Pick, _) => include_str!("pick.py"),
            (Part::Operations, Self::Numpy) => include_str!("numpy_operations.py"),
            (Part::Operations, Self::Jax) => include_str!("jax_operations.py"),
            (Part::Operations, Self::PyTorch) => include_str!("pytorch_operations.py"),
            (Part::Quadrature, Self::Numpy) => include_str!("numpy_quadrature.py"),
            (Part::Interface, Self::Numpy) => include_str!("numpy_api.py"),
            (Part::Arguments, Self::Numpy) => include_str!("numpy_arguments.py"),
            (Part::Arguments, Self::Jax) => include_str!("jax_arguments.py"),
            (Part::Arguments, Self::PyTorch) => include_str!("pytorch_arguments.py"),
            (Part::Pair, _) => include_str!("pair/pair.py"),
            (Part::PairIntegral, Self::Numpy) => include_str!("pair/numpy_integral.py"),
            (Part::PairIntegral, Self::Jax) => include_str!("pair/jax_integral.py"),
            (Part::PairIntegral, Self::PyTorch) => include_str!("pair/pytorch_integral.py"),
            (Part::PairResults, _) => include_str!("pair/results.py"),
            (Part::PairInterface, Self::Numpy) => include_str!("pair/numpy_api.py"),
            (Part::PairInterface, Self::Jax) => include_str!("pair/jax_api.py"),
            (Part::PairInterface, Self::PyTorch) => include_str!("pair/pytorch_api.py"),
            (Part::Quadrature, Self::Jax) => include_str!("jax_quadrature.py"),
            (Part::Interface, Self::Jax) => include_str!("jax_api.py"),
            (Part::Quadrature, Self::PyTorch) => include_str!("pytorch_quadrature.py"),
            (Part::Interface, Self::PyTorch) => include_str!("pytorch_api.py"),
            (Part::Lift, _) => include_str!("lift.py"),
            (Part::Words, _) => include_str!("words.py"),
            (Part::Triples, _) => include_str!("triples.py"),
            (Part::Polynomial, _) => include_str!("polynomial.py"),
            (Part::Around, _) => include_str!("around.py"),
            (Part::Place, _) => include_str!("place.py"),
            (Part::Pole, _) => include_str!("pole.py"),
            (Part::Edges, _) => include_str!("edges.py"),
            (Part::Ends, _) => include_str!("ends.py"),
            (Part::Powers, _) => include_str!("powers.py"),
            (Part::Where, _) => include_str!("where.py"),
            (Part::Finish, _) => include_str!("finish.py"),
            (Part::Double, _) => include_str!("pieces/double.py"),
            (Part::Single, _) => include_str!("pieces/single.py"),
            (Part::Numbers, _) => include_str!("pieces/numbers.py"),
            (Part::RuleNumbers, _) => include_str!("pieces/rules.py"),
            (Part::Moving, _) => include_str!("pieces/moving.py"),
            (Part::Loops, Self::Numpy) => include_str!("pieces/numpy_loops.py"),
            (Part::Loops, Self::Jax) => include_str!("pieces/jax_loops.py"),
            (Part::Loops, Self::PyTorch) => include_str!("pieces/pytorch_loops.py"),
            (Part::Walk, _) => include_str!("pieces/walk.py"),
            (Part::ByRules, Self::Numpy) => include_str!("pieces/numpy_rules.py"),
            (Part::ByRules, _) => include_str!("pieces/largest_rule.py"),
            (Part::AtNodes, _) => include_str!("pieces/nodes.py"),
            (Part::Curved, _) => include_str!("pieces/curved.py"),
            (Part::Sum, _) => include_str!("pieces/sum.py"),
            (Part::Jump, _) => include_str!("pieces/jump.py"),
            (Part::Common, _) => include_str!("pieces/common.py"),
            (Part::Value, _) => include_str!("pieces/value.py"),
            (Part::AtZeroVariance, _) => include_str!("pieces/at_zero_variance.py"),
            (Part::Results, _) => include_str!("results.py"),
        }
    }

    /// A part in the spelling of the target, for the parameters of an activation.
    pub(super) fn text(self, part: Part, activation: &Activation) -> String {
        let source = self.source(part);
        self.spelled(&signature::filled(source, activation, self))
    }

    /// A text with the names of the array library in it.
    pub(super) fn spelled(self, text: &str) -> String {
        let array = match self {
            Self::Numpy => "np.ndarray",
            Self::Jax => "jax.Array",
            Self::PyTorch => "Tensor",
        };
        let text = text.replace("xp.", &format!("{}.", self.library())).replace("ARRAY", array);
        // No compiler stands between NumPy and the machine.
        if self == Self::Numpy { without_call(&text, "_rounded") } else { text }
    }
}

/// A text without the calls of a function that returns its argument.
fn without_call(text: &str, name: &str) -> String {
    let Some(start) = text.find(&format!("{name}(")) else { return text.to_owned() };
    let inside = start + name.len() + 1;
    let mut depth = 1usize;
    let length = text[inside..].find(|letter| {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    let end = inside + length.expect("brackets are balanced");
    let argument = &text[inside..end];
    // Parentheses stay where the argument is a sum or product beside something else.
    let alone = text[..start].ends_with(['=', '(', ' ']) && text[..start].trim_end().ends_with('=');
    let argument = if argument.contains(' ') && !(alone && text[end + 1..].starts_with('\n')) {
        format!("({argument})")
    } else {
        argument.to_owned()
    };
    format!("{}{}", &text[..start], without_call(&format!("{argument}{}", &text[end + 1..]), name))
}
