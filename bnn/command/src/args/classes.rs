//! The options of `train` for a target of classes: the form of the expected log-likelihood.

use clap::{Args as Options, ValueEnum};
use gaussform_bnn::CategoricalForm;

/// The expected log-likelihood of a class.
#[derive(Debug, Options)]
#[command(next_help_heading = "Classes")]
pub(crate) struct Classes {
    /// The form of the expected log-likelihood of a class in training: exact, or that of a paper
    ///
    /// Predictions are exact whatever the form.
    #[arg(long, value_name = "FORM", value_enum, default_value_t)]
    pub(crate) class_form: ClassForm,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ClassForm {
    /// By one integral, without bound or sample
    #[default]
    Exact,
    /// By a second-order expansion (Roth and Pernkopf; Haußmann et al.)
    Delta,
    /// By the expansion of Jankowiak
    Taylor2,
    /// By Jensen's bound
    Jensen,
    /// By the tighter bound of Knowles and Minka
    Tilted,
    /// By ten samples of the outputs
    Sampled,
    /// By ten samples with Jankowiak's control variate
    ControlVariate,
}

/// Number of samples of the sampled forms.
const SAMPLES: usize = 10;

impl From<ClassForm> for CategoricalForm {
    fn from(form: ClassForm) -> Self {
        match form {
            ClassForm::Exact => Self::Exact,
            ClassForm::Delta => Self::Delta,
            ClassForm::Taylor2 => Self::Taylor2,
            ClassForm::Jensen => Self::Jensen,
            ClassForm::Tilted => Self::Tilted,
            ClassForm::Sampled => Self::Sampled { samples: SAMPLES },
            ClassForm::ControlVariate => Self::ControlVariate { samples: SAMPLES },
        }
    }
}
