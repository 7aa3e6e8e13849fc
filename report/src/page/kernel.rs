//! The section on the kernel: the generated code, and its operations.

use gaussform_codegen::rust::{self, Options};
use gaussform_codegen::{Cost, Kernel, Operations};
use maud::{Markup, PreEscaped, html};

use super::code::coloured;
use crate::record::Entry;

/// Operation counts and code.
pub(super) fn card(entry: &Entry) -> Markup {
    if entry.pair {
        return pair(entry);
    }
    let kernel = match Kernel::new(&entry.case.activation) {
        Ok(kernel) => kernel,
        Err(error) => return html! { section.card { h2 { "Kernels" } p { (error) "." } } },
    };
    let code = rust::text(&kernel, &Options::default());
    html! {
        section.card {
            h2 { "Kernels" }
            p {
                "Accuracy: every result within " (kernel.accuracy()) " ulp, derivatives of the variance within "
                (kernel.accuracy_of_slope()) "."
            }
            @if let (Some(moments), Some(gradient)) = (kernel.moments_cost(), kernel.gradient_cost()) {
                p {
                    "Operations for one pre-activation in double precision, wherever γ lies. A piece is "
                    "narrow if it is short in units of ξ; it is integrated by quadrature then, where the "
                    "closed form would cancel."
                }
                (costs("Mean, second moment and variance", &moments))
                (costs("These and their derivatives in γ and ξ²", &gradient))
            } @else {
                p { "Moments are sums over the pieces, so that time grows as the number of knots does." }
            }
            (listing(&code))
        }
    }
}

/// How the covariance is computed in a program.
fn pair(entry: &Entry) -> Markup {
    let g = &entry.case.activation;
    let mut h = entry.other.as_ref().map_or_else(|| g.clone(), |other| other.activation.clone());
    // Every bare expression is called g.
    if g.name == h.name && g.function != h.function {
        h.name = "h".to_owned();
    }
    let (g, h) = match (Kernel::new(g), Kernel::new(&h)) {
        (Ok(g), Ok(h)) => (g, h),
        (Err(error), _) | (_, Err(error)) => {
            return html! { section.card { h2 { "Kernels" } p { (error) "." } } };
        }
    };
    let code = rust::pair(&g, &h, &Options::default());
    html! {
        section.card {
            h2 { "Kernels" }
            p {
                "Accuracy: the covariance of piecewise linear functions within " (gaussform_runtime::pair::ACCURACY)
                " ulp of the unit of the errors above."
            }
            p {
                "The formula is not evaluated. The pieces of both functions meet in sums and integrals that do not "
                "cancel, so that time grows as the product of the numbers of knots does. "
                code { "gaussform::pair" } " has the same for slices and for the covariance matrix of a layer."
            }
            (listing(&code))
        }
    }
}

/// Code, folded.
fn listing(code: &str) -> Markup {
    html! {
        details {
            summary { "Code " small { (code.lines().count()) " lines of Rust" } }
            pre tabindex="0" { code { (PreEscaped(coloured(code))) } }
        }
    }
}

fn costs(title: &str, cost: &Cost) -> Markup {
    let mut rows = vec![("no piece is narrow", cost.wide)];
    if cost.narrow != cost.wide {
        rows.push(("a piece is narrow", cost.narrow));
    }
    html! {
        h3 { (title) }
        div.scroll tabindex="0" role="group" aria-label=(title) {
            table {
                thead {
                    tr {
                        th scope="col" { "where" }
                        @for column in ["+ − ×", "÷", "√", "exp", "erf"] {
                            th.count scope="col" { (column) }
                        }
                    }
                }
                tbody {
                    @for (place, Operations { arithmetic, division, root, exp, erf }) in rows {
                        tr {
                            th scope="row" { (place) }
                            @for count in [arithmetic, division, root, exp, erf] {
                                td.count { (count) }
                            }
                        }
                    }
                }
            }
        }
    }
}
