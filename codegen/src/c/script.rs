//! The sum over the pieces of a kernel as it was recorded: bodies for processors, and whole functions for cards.

use gaussform_runtime::Float;
use gaussform_runtime::kernel::sum::MAX_DEGREE;

use super::language::{Lines, NumberKind, Tables};
use super::source::Source;
use super::word;
use crate::kernel::Kernel;
use crate::rounding::Length;
use crate::script::expression::Expression;
use crate::script::graph::{Graph, Style};
use crate::script::print::print;
use crate::script::routine::{Quantities, Recorder, with_names};
use crate::script::rows::{Coefficients, NamedRows, declared};
use crate::table::Table as Arithmetic;

/// The body of a routine in C, with the bits of the runtime.
pub(super) fn body(
    recorder: &Recorder,
    prefix: &str,
    of: Quantities,
    numbers: NumberKind,
    source: &mut Source,
) {
    source.line("(void)p;");
    results(&recorder.strict(of), numbers, tables::<f64>(recorder, prefix), source);
}

/// The tables of a precision, if there are loops over them.
pub(super) fn tables<'a, T: Float>(recorder: &'a Recorder, prefix: &'a str) -> Option<Tables<'a>> {
    let is_single = !T::IS_DOUBLE;
    recorder.columns::<T>().map(|columns| Tables { columns, prefix, is_single })
}

fn results(graph: &Graph, numbers: NumberKind, tables: Option<Tables<'_>>, source: &mut Source) {
    let inputs = ["gamma", "xi2"].map(Expression::atom);
    let results = print(graph, &inputs, &mut Lines { numbers, source: &mut *source, tables });
    source.assign("out", results);
}

/// The rows of a function with parameters, and the sums over them.
pub(super) struct MovingRows {
    rows: NamedRows,
    degree: usize,
    /// The words that rows are computed from, as they are called.
    words: Vec<Expression>,
    /// The prefix of the names of the functions.
    prefix: String,
}

impl MovingRows {
    /// The rows of a table with a low degree; `None` for other tables.
    pub(super) fn of(table: &Arithmetic, prefix: &str, known: Coefficients) -> Option<Self> {
        if table.degree > MAX_DEGREE {
            return None;
        }
        let fields = |name: &str, count: usize, length: Length| -> Vec<Expression> {
            let of = |i: usize| {
                length.fields().iter().map(move |field| {
                    Expression::atom(format!("n->{name}.{field}").replace('#', &i.to_string()))
                })
            };
            (0..count).flat_map(of).collect()
        };
        // In the order of `Table::words`.
        let words = [
            fields("knots[#]", table.knots.len(), Length::Triple),
            fields("widths[#]", table.widths.len(), Length::Double),
            fields("center[#].at", table.centers.len(), Length::Triple),
            fields("words[#]", table.coefficients().count(), Length::Double),
        ];
        Some(Self {
            rows: NamedRows::new::<f64>(table, Style::Strict, known),
            degree: table.degree,
            words: words.concat(),
            prefix: prefix.to_owned(),
        })
    }

    /// The function that computes the rows: three words for each number.
    pub(super) fn function(&self, source: &mut Source) {
        let prefix = &self.prefix;
        source.open(&format!("GSF_FN void {prefix}_rows(const {prefix}_numbers *n, double *t)"));
        source.line("(void)n, (void)t;");
        let mut lines = Lines { numbers: NumberKind::Double, source: &mut *source, tables: None };
        let results = print(&self.rows.arithmetic, &self.words, &mut lines);
        source.assign("t", results);
        source.end();
    }

    /// The function that computes the rows on a card, from the parameters. It addresses no element of an array.
    pub(super) fn function_on_card(&self, table: &Arithmetic, source: &mut Source) {
        let prefix = &self.prefix;
        source.open(&format!("GSF_FN void {prefix}_card_rows(const double *p, double *t)"));
        source.line("(void)p, (void)t;");
        let words = declared(table, |length, name, word| {
            let text = word::in_words(length, word);
            source.line(&format!("const gsf_{} {name} = {text};", length.name()));
        });
        let mut lines = Lines { numbers: NumberKind::Double, source: &mut *source, tables: None };
        let results = print(&self.rows.arithmetic, &words, &mut lines);
        source.assign("t", results);
        source.end();
    }

    /// How many numbers of the rows depend on parameters.
    pub(super) fn count(&self) -> usize {
        self.rows.count()
    }

    /// The body of a routine. Over lanes it is given the numbers of the rows, and leaves the power of two to its caller.
    pub(super) fn body(&self, of: Quantities, numbers: NumberKind, source: &mut Source) {
        if numbers != NumberKind::Lanes {
            self.numbers(numbers, source);
        }
        let graph = match numbers {
            NumberKind::DoubleOnCard => {
                with_names::<f64>(&self.rows, self.degree, of, Style::OnCard)
            }
            NumberKind::SingleOnCard => {
                with_names::<f32>(&self.rows, self.degree, of, Style::OnCard)
            }
            _ => with_names::<f64>(&self.rows, self.degree, of, Style::Strict),
        };
        let mut inputs = vec![Expression::atom("gamma"), Expression::atom("xi2")];
        inputs.extend((0..3 * self.count()).map(|i| {
            Expression::atom(match numbers {
                NumberKind::SingleOnCard => format!("s[{i}]"),
                numbers => numbers.of(&format!("t[{i}]")),
            })
        }));
        let results =
            print(&graph, &inputs, &mut Lines { numbers, source: &mut *source, tables: None });
        for (i, result) in results.iter().enumerate() {
            let result = &result.text;
            // The variance and its derivatives have the power of two twice.
            let twice = if matches!(i, 1 | 4 | 5) { "2 * " } else { "" };
            source.line(&match numbers {
                NumberKind::Double | NumberKind::Wide => {
                    let kind = numbers.prefix();
                    format!("out[{i}] = {kind}_times_power({result}, {twice}n.table.exponent);")
                }
                // On a card the function of the rows takes no power of two out of them.
                _ => format!("out[{i}] = {result};"),
            });
        }
    }

    /// Computes the numbers of the rows from the parameters, in the precision of a routine.
    fn numbers(&self, numbers: NumberKind, source: &mut Source) {
        let (prefix, names) = (&self.prefix, self.count());
        // An array of C has one element at least.
        source.line(&format!("double t[{}];", (3 * names).max(1)));
        if matches!(numbers, NumberKind::DoubleOnCard | NumberKind::SingleOnCard) {
            source.line(&format!("{prefix}_card_rows(p, t);"));
        } else {
            source.line(&format!("{prefix}_numbers n;"));
            source.line(&format!("{prefix}_fill(p, &n);"));
            source.line(&format!("{prefix}_rows(&n, t);"));
        }
        // Rows are computed in double precision, and each of its numbers is split anew.
        if numbers == NumberKind::SingleOnCard {
            source.line(&format!("float s[{}];", (3 * names).max(1)));
            for i in 0..names {
                source.line(&format!("gsf_split_f32(t + {0}, s + {0});", 3 * i));
            }
        }
    }

    /// A routine for cards.
    pub(super) fn on_card(&self, of: Quantities, has_knots: bool, source: &mut Source) {
        let (prefix, name, count) = (&self.prefix, of.name(), of.count());
        for numbers in [NumberKind::DoubleOnCard, NumberKind::SingleOnCard] {
            open_on_card(prefix, of, numbers, source);
            if has_knots && numbers == NumberKind::DoubleOnCard {
                source.open(&format!(
                    "if (xi2 == 0.0 && {prefix}_{name}_at_zero_variance(gamma, p, out))"
                ));
                source.line("return;");
                source.close();
            } else if has_knots {
                source.open("if (xi2 == 0.0f)");
                source.line(&format!("double limits[{count}];"));
                source.open(&format!(
                    "if ({prefix}_{name}_at_zero_variance((double)gamma, p, limits))"
                ));
                source.open(&format!("for (int i = 0; i < {count}; i++)"));
                source.line("out[i] = (float)limits[i];");
                source.close();
                source.line("return;");
                source.close();
                source.close();
            }
            self.body(of, numbers, source);
            source.end();
        }
    }
}

/// The head of a routine for cards, and its results of NaN where γ and ξ² are no distribution.
fn open_on_card(prefix: &str, of: Quantities, numbers: NumberKind, source: &mut Source) {
    let (name, real) = (of.name(), numbers.name());
    let suffix = if numbers == NumberKind::SingleOnCard { "_f32" } else { "" };
    let nan = if suffix.is_empty() { "GSF_NAN" } else { "(float)GSF_NAN" };
    source.open(&format!(
        "GSF_FN void {prefix}_{name}{suffix}({real} gamma, {real} xi2, const double *p, {real} *out)"
    ));
    source.line("(void)p;");
    source.open(&format!("if (!gsf_is_valid{suffix}(gamma, xi2))"));
    source.open(&format!("for (int i = 0; i < {}; i++)", of.count()));
    source.line(&format!("out[i] = {nan};"));
    source.close();
    source.line("return;");
    source.close();
}

/// Prints the functions of one kernel.
pub(super) struct Scripts {
    recorder: Recorder,
    /// The prefix of the names of the functions.
    prefix: String,
}

impl Scripts {
    /// The functions of a kernel without parameters and with a low degree.
    pub(super) fn of(kernel: &Kernel, prefix: String) -> Option<Self> {
        Some(Self { recorder: Recorder::of(kernel)?, prefix })
    }

    /// The text of all functions.
    pub(super) fn text(&self) -> String {
        let mut source = Source::default();
        let double = tables::<f64>(&self.recorder, &self.prefix);
        let single = tables::<f32>(&self.recorder, &self.prefix);
        for tables in [double, single].into_iter().flatten() {
            tables.functions(&mut source);
        }
        for of in [Quantities::Moments, Quantities::Gradients] {
            let graph = self.recorder.routine::<f64>(of, Style::OnCard);
            self.function(of, NumberKind::DoubleOnCard, &graph, double, &mut source);
            let graph = self.recorder.routine::<f32>(of, Style::OnCard);
            self.function(of, NumberKind::SingleOnCard, &graph, single, &mut source);
        }
        source.finish()
    }

    fn function(
        &self,
        of: Quantities,
        numbers: NumberKind,
        graph: &Graph,
        tables: Option<Tables<'_>>,
        source: &mut Source,
    ) {
        open_on_card(&self.prefix, of, numbers, source);
        results(graph, numbers, tables, source);
        source.end();
    }
}
