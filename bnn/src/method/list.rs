//! The list of the methods by the names that commands and records have for them.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::blueprint::Blueprint;
use crate::function::Function;
use crate::likelihood::LikelihoodKind;

/// A method of the papers by its name, such as `dvi-full`, in the order in which tables list the methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Method {
    /// The exact bound of Jankowiak: [`cf`](super::cf).
    Cf,
    /// The closed-form objective of Roth and Pernkopf: [`nnvi`](super::nnvi).
    Nnvi,
    /// Variance backpropagation (Haußmann et al.): [`vbp`](super::vbp).
    Vbp,
    /// Deterministic variational inference with noise by input (Wu et al.): [`dvi`](super::dvi).
    Dvi,
    /// Deterministic variational inference with covariances between all units (Wu et al.): [`dvi_full`](super::dvi_full).
    DviFull,
    /// Local reparameterisation (Kingma et al.): [`varout`](super::varout).
    Varout,
    /// Bayes by backprop (Blundell et al.): [`bbb`](super::bbb).
    Bbb,
    /// Probabilistic backpropagation (Hernández-Lobato and Adams): [`pbp`](super::pbp()).
    Pbp,
    /// V-ReLU-Net (Kandemir et al.): [`vrelunet`](super::vrelunet()).
    Vrelunet,
}

impl Method {
    /// All methods, in their order.
    pub const ALL: [Self; 9] = [
        Self::Cf,
        Self::Nnvi,
        Self::Vbp,
        Self::Dvi,
        Self::DviFull,
        Self::Varout,
        Self::Bbb,
        Self::Pbp,
        Self::Vrelunet,
    ];

    /// The name on command lines, in records and in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cf => "cf",
            Self::Nnvi => "nnvi",
            Self::Vbp => "vbp",
            Self::Dvi => "dvi",
            Self::DviFull => "dvi-full",
            Self::Varout => "varout",
            Self::Bbb => "bbb",
            Self::Pbp => "pbp",
            Self::Vrelunet => "vrelunet",
        }
    }

    /// The method of a name; none if no method has it.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.name() == name)
    }

    /// The method in one line, with its authors.
    #[must_use]
    pub const fn description(self) -> &'static str {
        match self {
            Self::Cf => "The exact bound of Jankowiak",
            Self::Nnvi => "The closed-form objective of Roth and Pernkopf",
            Self::Vbp => "Variance backpropagation (Haußmann et al.)",
            Self::Dvi => "Deterministic variational inference with noise by input (Wu et al.)",
            Self::DviFull => {
                "Deterministic variational inference with covariances between all units (Wu et al.)"
            }
            Self::Varout => "Local reparameterisation (Kingma et al.)",
            Self::Bbb => "Bayes by backprop (Blundell et al.)",
            Self::Pbp => "Probabilistic backpropagation (Hernández-Lobato and Adams)",
            Self::Vrelunet => "V-ReLU-Net (Kandemir et al.)",
        }
    }

    /// Whether the method trains a [`Blueprint`] by gradients. The others filter, or ascend by coordinates.
    #[must_use]
    pub const fn has_gradients(self) -> bool {
        !matches!(self, Self::Pbp | Self::Vrelunet)
    }

    /// The method's blueprint for real targets with Normal noise, with the sizes of the hidden layers; none for a method
    /// without gradients, and for [`cf`](super::cf) with more or fewer than one hidden layer.
    #[must_use]
    pub fn blueprint(
        self,
        inputs: usize,
        hidden: &[usize],
        targets: usize,
        g: &Function,
    ) -> Option<Blueprint> {
        let normal = LikelihoodKind::normal(targets);
        Some(match self {
            Self::Cf => match hidden {
                [units] => super::cf(inputs, *units, targets, g),
                _ => return None,
            },
            Self::Nnvi => super::nnvi(inputs, hidden, normal, g),
            Self::Vbp => super::vbp(inputs, hidden, normal, g),
            Self::Dvi => super::dvi(inputs, hidden, targets, g),
            Self::DviFull => super::dvi_full(inputs, hidden, targets, g),
            Self::Varout => super::varout(inputs, hidden, normal, g),
            Self::Bbb => super::bbb(inputs, hidden, normal, g),
            Self::Pbp | Self::Vrelunet => return None,
        })
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use gaussform_generated::Relu;

    use super::Method;
    use crate::function::Function;

    #[test]
    fn records_and_command_lines_have_one_name() {
        for method in Method::ALL {
            assert_eq!(serde_json::to_string(&method).unwrap(), format!("\"{method}\""));
            assert_eq!(Method::named(method.name()), Some(method));
        }
        assert!(Method::ALL.is_sorted());
    }

    #[test]
    fn methods_with_gradients_have_a_blueprint() {
        let relu = Function::new("relu", Relu);
        for method in Method::ALL {
            let blueprint = method.blueprint(3, &[5], 1, &relu);
            assert_eq!(blueprint.is_some(), method.has_gradients(), "{method}");
        }
        assert!(Method::Cf.blueprint(3, &[5, 5], 1, &relu).is_none());
    }
}
