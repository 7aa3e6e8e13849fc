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
    Interface,
}

impl Target {
    fn source(self, part: Part) -> &'static str {
        match (part, self) {
            (Part::Head, Self::Numpy) => include_str!("prelude/numpy_head.py"),
            (Part::Head, Self::Jax) => include_str!("prelude/jax_head.py"),
            (Part::Head, Self::PyTorch) => include_str!("prelude/pytorch_head.py"),
            (Part::Support, Self::Numpy) => "",
            (Part::Support, Self::Jax) => include_str!("prelude/jax_support.py"),
            (Part::Support, Self::PyTorch) => include_str!("prelude/pytorch_support.py"),
            (Part::Pick, _) => include_str!("prelude/pick.py"),
            (Part::Operations, Self::Numpy) => include_str!("prelude/numpy_operations.py"),
            (Part::Operations, Self::Jax) => include_str!("prelude/jax_operations.py"),
            (Part::Operations, Self::PyTorch) => include_str!("prelude/pytorch_operations.py"),
            (Part::Quadrature, Self::Numpy) => include_str!("prelude/numpy_quadrature.py"),
            (Part::Interface, Self::Numpy) => include_str!("prelude/numpy_api.py"),
            (Part::Quadrature, Self::Jax) => include_str!("prelude/jax_quadrature.py"),
            (Part::Interface, Self::Jax) => include_str!("prelude/jax_api.py"),
            (Part::Quadrature, Self::PyTorch) => include_str!("prelude/pytorch_quadrature.py"),
            (Part::Interface, Self::PyTorch) => include_str!("prelude/pytorch_api.py"),
            (Part::Lift, _) => include_str!("prelude/lift.py"),
            (Part::Words, _) => include_str!("prelude/words.py"),
            (Part::Triples, _) => include_str!("prelude/triples.py"),
            (Part::Polynomial, _) => include_str!("prelude/polynomial.py"),
            (Part::Around, _) => include_str!("prelude/around.py"),
            (Part::Place, _) => include_str!("prelude/place.py"),
            (Part::Pole, _) => include_str!("prelude/pole.py"),
            (Part::Edges, _) => include_str!("prelude/edges.py"),
            (Part::Ends, _) => include_str!("prelude/ends.py"),
            (Part::Powers, _) => include_str!("prelude/powers.py"),
            (Part::Where, _) => include_str!("prelude/where.py"),
            (Part::Finish, _) => include_str!("prelude/finish.py"),
            (Part::Double, _) => include_str!("prelude/pieces/double.py"),
            (Part::Single, _) => include_str!("prelude/pieces/single.py"),
            (Part::Numbers, _) => include_str!("prelude/pieces/numbers.py"),
            (Part::RuleNumbers, _) => include_str!("prelude/pieces/rules.py"),
            (Part::Moving, _) => include_str!("prelude/pieces/moving.py"),
            (Part::Loops, Self::Numpy) => include_str!("prelude/pieces/numpy_loops.py"),
            (Part::Loops, Self::Jax) => include_str!("prelude/pieces/jax_loops.py"),
            (Part::Loops, Self::PyTorch) => include_str!("prelude/pieces/pytorch_loops.py"),
            (Part::Walk, _) => include_str!("prelude/pieces/walk.py"),
            (Part::ByRules, Self::Numpy) => include_str!("prelude/pieces/numpy_rules.py"),
            (Part::ByRules, _) => include_str!("prelude/pieces/largest_rule.py"),
            (Part::AtNodes, _) => include_str!("prelude/pieces/nodes.py"),
            (Part::Curved, _) => include_str!("prelude/pieces/curved.py"),
            (Part::Sum, _) => include_str!("prelude/pieces/sum.py"),
            (Part::Jump, _) => include_str!("prelude/pieces/jump.py"),
            (Part::Common, _) => include_str!("prelude/pieces/common.py"),
            (Part::Value, _) => include_str!("prelude/pieces/value.py"),
            (Part::AtZeroVariance, _) => include_str!("prelude/pieces/at_zero_variance.py"),
            (Part::Results, _) => include_str!("prelude/results.py"),
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
