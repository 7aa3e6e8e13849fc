//! The module of two correlated pre-activations: the covariance of two straight functions, and its derivatives.
//!
//! The integral over the correlation is recorded of the runtime step by step, each step once for all knots and nodes. The knots of a function are numbers
//! along an axis of the arrays, the nodes a loop. So the text grows as the number of knots, and memory as the product of both numbers of knots.

use gaussform_runtime::Float;
use gaussform_runtime::kernel::record::words;
use gaussform_runtime::pair::record::{self, Straight};
use gaussform_symbolic::Activation;
use gaussform_symbolic::render;

use super::Target;
use super::language::Lines;
use super::layout::statement;
use super::number::{float, floats};
use super::prelude::Part;
use super::text::Text;
use crate::kernel::Kernel;
use crate::script::expression::Expression;
use crate::script::integral::{Step, steps, sums};
use crate::script::print::print;

/// The panels that rules end with, down to the lengths 2⁻ᴶ, in double and in single precision. The last rule serves up to |ρ| = 1: it misses what lies
/// within the last length of it, which is nothing.
const LEVELS: [[u32; 4]; 2] = [[0, 3, 8, 40], [0, 3, 8, 18]];

/// The exponent of the least variance.
const LEAST: [i32; 2] = [-200, -50];

/// How many numbers a block of NumPy has.
const BLOCK: usize = 4096;

/// Why there is no module for two activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{reason}")]
pub struct PairRefusal {
    /// The first function, 0, or the second, 1.
    pub function: usize,
    /// The reason why it is refused.
    pub reason: PairReason,
}

/// A property of a function that no module for two pre-activations takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PairReason {
    /// It has a piece of a degree above 1.
    #[error(
        "a piece is curved, and a Python module for two pre-activations takes straight pieces alone"
    )]
    Curved,
    /// It has parameters.
    #[error("there are parameters, and a Python module for two pre-activations has none")]
    Parameters,
    /// Its coefficients have a power of two of their own.
    #[error(
        "the coefficients are far from 1, beyond what a Python module for two pre-activations takes"
    )]
    FarFromOne,
}

impl PairReason {
    /// The advice to the user.
    #[must_use]
    pub fn help(self) -> &'static str {
        match self {
            Self::Curved => "`--target rust`, `rust-crate` and `c` take it",
            Self::Parameters => {
                "write numbers in their place, or `--target rust`, `rust-crate` or `c`, which have parameters"
            }
            Self::FarFromOne => "give the function in other units, or write `--target rust` or `c`",
        }
    }
}

/// The module of two activations.
///
/// ```
/// use gaussform_codegen::Kernel;
/// use gaussform_codegen::python::{self, Target};
/// use gaussform_symbolic::Activation;
///
/// let relu = Kernel::new(&Activation::parse("relu(x) = max(0, x)")?)?;
/// let module = python::pair_module(&relu, &relu, Target::Numpy)?;
/// assert!(module.contains("def pair_moments("));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If a function has a curved piece, parameters, or coefficients beyond 2⁶⁰.
pub fn pair_module(g: &Kernel, h: &Kernel, target: Target) -> Result<String, PairRefusal> {
    let numbers = |function: usize, kernel| {
        straight(kernel).map_err(|reason| PairRefusal { function, reason })
    };
    let functions = [numbers(0, g)?, numbers(1, h)?];
    let [g, h] = [g, h].map(Kernel::activation);
    let pair = Pair { functions, target };
    let part = |part: Part| target.text(part, g);
    let mut parts = vec![pair.numbers()];
    parts.extend(pair.steps().iter().map(|text| target.spelled(text)));
    parts.extend([pair.filled(&part(Part::Pair)), part(Part::PairIntegral)]);
    parts.push(pair.precisions());
    parts.extend([Part::PairResults, Part::Arguments, Part::PairInterface].map(part));
    parts.splice(..0, target.functions(false, &parts));
    // Each element takes as many numbers as there are pairs of knots.
    let pairs: usize = pair.functions.iter().map(|g| g.knots.len().max(1)).product();
    let block = BLOCK.div_ceil(pairs);
    let body = parts.iter().map(|text| text.trim()).collect::<Vec<_>>().join("\n\n\n");
    let body = body.replace(&format!("_BLOCK = {BLOCK}"), &format!("_BLOCK = {block}"));
    Ok(format!(
        "{}\n{}\n\n{body}\n",
        documentation([g, h], target),
        head(target, &part(Part::Head))
    ))
}

/// The imports.
fn head(target: Target, head: &str) -> String {
    let more = if target == Target::Numpy { "import functools\n" } else { "" };
    format!("{more}{head}")
}

/// The numbers of a straight function.
fn straight(kernel: &Kernel) -> Result<Straight, PairReason> {
    let activation = kernel.activation();
    if !activation.parameters.is_empty() {
        return Err(PairReason::Parameters);
    }
    if activation.function.degree() > 1 {
        return Err(PairReason::Curved);
    }
    let numbers = Kernel::table_of(activation).ok();
    numbers.and_then(|numbers| numbers.with(Straight::of)).ok_or(PairReason::FarFromOne)
}

struct Pair {
    functions: [Straight; 2],
    target: Target,
}

impl Pair {
    fn jumps(&self) -> [bool; 2] {
        self.functions.each_ref().map(|g| g.knots.iter().any(|knot| knot[4] != 0.0))
    }

    fn has_jumps(&self) -> bool {
        self.jumps().contains(&true)
    }

    /// The precisions that the target has.
    fn bits(&self) -> &'static [u32] {
        if self.target.has_single() { &[64, 32] } else { &[64] }
    }

    /// Rules and knots.
    fn numbers(&self) -> String {
        let mut text = String::new();
        text += "# Nodes of Gauss and Legendre: x, 1 - x and the weight.\n";
        for (name, rule) in ["_FEW", "_HALF", "_PANEL"].into_iter().zip(record::RULES) {
            let row = |row: &[f64; 3]| {
                let [x, low, weight] = *row;
                // With its low word, 1 − x has all digits where x is near 1.
                floats(&[x, (1.0 - x) - low, weight])
            };
            let rows: String =
                rule.iter().map(|numbers| format!("    ({}),\n", row(numbers))).collect();
            text += &format!("{name} = (\n{rows})\n");
        }
        text += "# The least 1 - |t| of the first rule, and of a panel of length 1.\n";
        text +=
            &format!("_LEAST_OF_FEW, _LEAST = {}, {}\n", float(record::FEW), float(record::SERVES));
        text += "# How many sums over nodes there are.\n";
        text += &format!("_SUMS = {}\n", sums(self.has_jumps()));
        if self.jumps() == [true; 2] {
            text += "# The sum of the slopes, and that of the jumps, each of both functions.\n";
            let sums = self.functions.each_ref().map(|g| {
                let slopes: f64 = g.slopes.iter().map(|slope| slope.abs()).sum();
                [slopes, g.knots.iter().map(|knot| knot[4].abs()).sum()]
            });
            let [[a, b], [c, d]] = sums.map(|sums| sums.map(float));
            text += &format!("_SIZES = (({a}, {b}), ({c}, {d}))\n");
        }
        text += "# Slopes of pieces; of the knots the place in three words, how much the slope changes, and the jump.\n";
        for (g, suffix) in self.functions.iter().zip(["", "_H"]) {
            text += &statement(0, &format!("_SLOPES{suffix} = ({})", list(&g.slopes)));
            for bits in self.bits() {
                let rows = g.knots.iter().map(|[a, b, c, kink, jump]| match bits {
                    32 => {
                        let [a, b, c] = words::<f32>([*a, *b, *c]).map(|word| word.to_f64());
                        [a, b, c, *kink, *jump]
                    }
                    _ => [*a, *b, *c, *kink, *jump],
                });
                let rows: Vec<[f64; 5]> = rows.collect();
                let column = |i: usize| {
                    let numbers: Vec<f64> = rows.iter().map(|row| row[i]).collect();
                    statement(1, &format!("({}),", list(&numbers)))
                };
                let columns: String = (0..5).map(column).collect();
                text += &format!("_KNOTS{suffix}_F{bits} = (\n{columns})\n");
            }
        }
        text
    }

    /// The steps, in each precision.
    fn steps(&self) -> Vec<String> {
        let jumps = self.has_jumps();
        let of = |bits: &u32| match bits {
            32 => steps::<f32>(jumps),
            _ => steps::<f64>(jumps),
        };
        let printed = |bits: &u32| -> Vec<String> {
            of(bits).iter().map(|step| self.step(step, *bits)).collect()
        };
        self.bits().iter().flat_map(printed).collect()
    }

    fn step(&self, Step { name, inputs, graph }: &Step, bits: u32) -> String {
        let mut body = Text::default();
        // The head depends on what the body reads, so that it takes the place of this one
        // afterwards.
        body.open("def f():");
        let names: Vec<Expression> = inputs.iter().copied().map(Expression::atom).collect();
        let is_single = bits == 32;
        let mut lines = Lines::new(self.target, is_single, &mut body, None);
        let results = print(graph, &names, &mut lines);
        let results: Vec<String> = results.iter().map(|result| lines.array(result).text).collect();
        body.line(&format!("return ({})", results.join(", ")));
        let body = body.finish();
        let mut text = Text::default();
        text.open(&format!("def _{name}_f{bits}({}):", inputs.join(", ")));
        if body.contains("zero") {
            text.line(&format!("zero = xp.zeros_like({})", inputs[0]));
        }
        text.finish() + body.split_once('\n').map_or("", |(_, rest)| rest)
    }

    /// The precisions, each with its steps and numbers.
    fn precisions(&self) -> String {
        let mut text = String::new();
        for (at, bits) in self.bits().iter().enumerate() {
            let epsilon = if *bits == 32 { f64::from(f32::EPSILON) } else { f64::EPSILON };
            let levels = LEVELS[at].map(|level| level.to_string()).join(", ");
            let mut fields = vec![
                format!("least={}", float(f64::from(LEAST[at]).exp2())),
                format!("slack={}", float(8.0 * epsilon)),
                format!("least_rest={}", float(f64::from(record::LEAST_REST[at]).exp2())),
                format!("knots=_KNOTS_F{bits}"),
                format!("knots_h=_KNOTS_H_F{bits}"),
                format!("rules=_rules(({levels}))"),
            ];
            for name in ["knot", "path", "meet", "node", "terms", "covariance"] {
                fields.push(format!("{name}=_{name}_f{bits}"));
            }
            let fields: String = fields.iter().map(|field| format!("    {field},\n")).collect();
            text += &format!("_F{bits} = SimpleNamespace(\n{fields})\n");
        }
        text
    }

    /// A part, of which some lines are for functions that jump: behind `#: if one jumps` or `#: if both jump`, up to `#: end of jumps`.
    fn filled(&self, source: &str) -> String {
        let both = self.jumps() == [true; 2];
        let mut is_wanted = true;
        let mut text = String::new();
        for line in source.lines() {
            match line.trim() {
                "#: if one jumps" => is_wanted = self.has_jumps(),
                "#: if both jump" => is_wanted = both,
                "#: end of jumps" => is_wanted = true,
                _ if is_wanted => text += &format!("{line}\n"),
                _ => {}
            }
        }
        text
    }
}

/// Numbers of a tuple, without its brackets.
fn list(numbers: &[f64]) -> String {
    // A tuple of one needs a comma.
    floats(numbers) + if numbers.len() == 1 { "," } else { "" }
}

/// The docstring of the module.
fn documentation([g, h]: [&Activation; 2], target: Target) -> String {
    let definitions = render::text::pair_definitions(("g", &g.function), ("h", &h.function));
    let (definitions, _) = definitions.split_once("\n\nΔ").unwrap_or((&definitions, ""));
    let definitions: Vec<String> =
        definitions.lines().map(|line| format!("    {line}").trim_end().to_owned()).collect();
    let name = |activation: &Activation| match &*activation.name {
        "g" | "h" => String::new(),
        name => format!(" = `{name}`"),
    };
    let names = format!("g{} and h{}", name(g), name(h));
    let precisions = match target.has_single() {
        true => PRECISIONS,
        false => SINGLE,
    };
    let usage = match target {
        Target::Numpy => {
            "covariance = pair_moments(0.5, 1.0, np.linspace(-3, 3, 7), 2.0, 0.3)\n    grad = pair_moments_grad(0.5, 1.0, -0.2, 2.0, 0.3)  # grad.dcovariance_dcov, ..."
        }
        Target::Jax => {
            "covariance = pair_moments(0.5, 1.0, jnp.linspace(-3, 3, 7), 2.0, 0.3)\n    slope = jax.jit(jax.grad(lambda c: pair_moments(0.5, 1.0, -0.2, 2.0, c)))(0.3)"
        }
        Target::PyTorch => {
            "cov = torch.tensor(0.3, requires_grad=True)\n    pair_moments(torch.tensor(0.5), 1.0, -0.2, 2.0, cov).backward()  # cov.grad"
        }
    };
    format!(
        "\"\"\"The covariance of {names} for two correlated pre-activations.\n\n{}\n\n{PROMISE}\n{precisions}\n\
         Example:\n\n    {usage}\n\"\"\"\n",
        definitions.join("\n"),
    )
}

/// The accuracy of results, for the documentation of a module.
const PROMISE: &str = "\
(u, w) is Normal with means gamma and gamma_h, variances xi2 and xi2_h and covariance cov. With the
correlation r = cov / (xi * xi_h) and

    D = (S * xi + J) * (S_h * xi_h + J_h),

S the sum of the absolute slopes of the pieces of g and J that of its jumps, errors are at most

    covariance                      1e-14 D
    derivatives in gamma, gamma_h   1e-13 D / xi, 1e-13 D / xi_h
    derivatives in xi2, xi2_h       1e-13 D / xi2, 1e-13 D / xi2_h
    derivative in cov               1e-13 D / (xi * xi_h)

Where a function jumps, those of derivatives are larger by 1 / sqrt(1 - r**2). They hold for
1 - abs(r) >= 1e-12, that of the covariance for all r. Nearer to 1 and -1, derivatives are limits from
inside, with errors up to 1e-10. Where D is far larger than the covariance, in tails and for pieces much
narrower than xi, the covariance has as many digits fewer.

xi2 = 0 gives the limits; numbers that are no law give NaN. A derivative that is infinite is so: in cov where
a variance is 0 and the mean on a jump, in cov and the variances where r is 1 or -1 and jumps meet.
";

/// The range, where everything is computed in double precision.
const SINGLE: &str = "\
float32 in, float32 out; everything is computed in double precision, for 1e-60 <= xi2 <= 1e60. Smaller
variances count as the least one, larger ones give NaN.
";

/// The accuracy in single precision, for the documentation of a module.
const PRECISIONS: &str = "\
The errors are those of float64, for 1e-60 <= xi2 <= 1e60. In float32 they are 1e-6 in place of 1e-14
and 1e-13, for 1e-15 <= xi2 <= 1e15. Smaller variances count as the least one, larger ones give NaN.
";
