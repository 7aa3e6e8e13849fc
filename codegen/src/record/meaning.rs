//! The meaning of each primitive, in one line.

/// The meaning of a primitive.
pub(crate) fn of(name: &str) -> &'static str {
    if name.starts_with("tails_") {
        return "h R_n(s) at a knot, with R_n(s) = E[max(0, z - s)^n]/(n! phi(s)), by a recurrence.";
    }
    match name {
        "two_sum" => "a + b and its rounding error.",
        "fast_two_sum" => "a + b and its rounding error, for |a| >= |b| or a = 0.",
        "split" => "a in two halves, each with half of the bits.",
        "two_product" => "a b and its rounding error.",
        "two_square" => "a^2 and its rounding error.",
        "word_negate" | "triple_negate" | "pair_neg" => "-a",
        "word_add" | "triple_add" | "pair_add" => "a + b",
        "pair_sub" => "a - b",
        "word_multiply" | "triple_multiply" | "pair_mul" => "a b",
        "word_divide" | "triple_divide" => "a/b",
        "pair_round" => "The nearest number.",
        "polynomial_step" => "value x + c",
        "distance" => "x less a knot.",
        "deviation_of" => "xi, 1/xi, and what the root lost, of a variance.",
        "density" => "phi(sqrt(a))",
        "density_in_units" => "phi(sqrt(a + b)) in its unit; 0; and a power of two near it.",
        "precise_density_in_units" => {
            "phi(sqrt(a + b)) in its unit, what rounding took from it, and a power of two near it."
        }
        "edge_at" => "A knot seen from gamma.",
        "powers_on" => "The integrals of powers on the straight piece between two knots.",
        "powers_basis" => "The integrals of 1 and tau over a straight piece.",
        "powers_products_1" => "The integral of the product of two straight lines.",
        "powers_products_3" => "The integrals of a b and of a (b - less) He_k(z) for k = 1, 2.",
        "end_at" => "A knot seen from gamma, without tails.",
        "displacement" => "A place less gamma.",
        "above" => "A constant of a table less the level of its function.",
        "shift_step" => "coefficient + next from",
        "panel_from_gamma" => "The piece of gamma from there to one of its ends.",
        "endless_from_gamma" => "The piece of gamma from there on, where it has no end.",
        "panel_beyond" => "A piece on one side of gamma, from its nearer end to the other.",
        "endless_beyond" => {
            "A piece on one side of gamma, from its nearer end on, where it has no other."
        }
        "stretch_of" => "How far a panel is integrated by quadrature.",
        "mass_at" => "The density at a node less that at the near end, times the weight.",
        "place_at" => "The distance of a node from the near end.",
        "z_at" => "The place of a node in units of xi from gamma.",
        "middle_of" => "The mean of the values at nodes, and one over their mass.",
        "around_with" => "The sums around that mean, with what a node adds.",
        "around_with_slopes" => {
            "The sums around that mean and those of derivatives, with what a node adds."
        }
        "curved_contribution" => "The contribution of a curved panel, from the sums over nodes.",
        "join" => "The contribution of two parts of the line together.",
        "join_slopes" => {
            "The contribution of two parts of the line together, with the sums of derivatives."
        }
        "flux_with" => {
            "The contribution of jumps to derivatives, with one of g and its slope at a knot."
        }
        "sum_results" => "Mean and variance in their units, from the whole line.",
        "sum_results_slopes" => {
            "Mean, variance and their derivatives in their units, from the whole line."
        }
        "around_both" => "The sums around the means of two functions, with what a node adds.",
        "common_of" => "The contribution of a panel to a covariance, from the sums over nodes.",
        "join_common" => "The contribution of two parts of the line to a covariance.",
        "total" => "The mean of a function.",
        "moved" => "The contribution of moving knots to mean and variance, with one more.",
        "tangent_results" => "The derivatives of mean, second moment and variance in a parameter.",
        _ => unreachable!("a primitive has a meaning"),
    }
}
