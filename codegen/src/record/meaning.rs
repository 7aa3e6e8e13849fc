//! What primitives compute, in a line of their own.

/// The meaning of a primitive.
pub(crate) fn of(name: &str) -> &'static str {
    if name.starts_with("tails_") {
        return "h R_n(s) at a knot, with R_n(s) = E[max(0, z - s)^n]/(n! phi(s)), by a recurrence.";
    }
    if name.starts_with("precise_tails_") {
        return "The tails at a knot, h R_n(s), to twice the precision.";
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
        "inverse_pair" => "1/xi to twice the precision.",
        "density" => "phi(sqrt(a))",
        "density_in_units" => "phi(sqrt(a + b)) in its unit; 0; and a power of two near it.",
        "precise_density_in_units" => {
            "phi(sqrt(a + b)) in its unit, what rounding took from it, and a power of two near it."
        }
        "edge_at" => "A knot seen from gamma.",
        "precise_edge_at" => "A knot seen from gamma, with what rounding took from s and h.",
        "is_right" => "Whether a knot lies to the right of gamma.",
        "score" => "s with the sign of z.",
        "score_pair" => "s with the sign of z, to twice the precision.",
        "high_step" | "precise_step" => {
            "A step of the recurrence for tails: b c + a e in two words."
        }
        "is_narrow_linear" | "is_narrow_curved" | "is_narrow_plain" => {
            "Whether the piece between two knots is too small in units of xi for tails."
        }
        "powers_on" => "The integrals of powers on the straight piece between two knots.",
        "powers_basis" => "The integrals of 1 and tau over a straight piece.",
        "powers_products_1" => "The integral of the product of two straight lines.",
        "powers_products_3" => "The integrals of a b and of a (b - less) He_k(z) for k = 1, 2.",
        "span_on" => "The piece between two knots, seen from the nearer one.",
        "node_mass" => "The density times the weight at a node, less that at the edge.",
        "node_products_1" => "The sum of first second at nodes, with what one adds.",
        "node_products_3" => {
            "The sums of first second and of first (second - less) He_k(z), with what a node adds."
        }
        _ => unreachable!("a primitive has a meaning"),
    }
}
