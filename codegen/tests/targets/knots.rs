//! Headers of C for functions with many knots and of high degree.

use std::fmt::Write as _;

use gaussform_codegen::Kernel;
use gaussform_codegen::c::{self, Dialect};
use gaussform_symbolic::Activation;

use crate::program::{self, Folder, run};
use crate::{points, same};

fn kernel(text: &str) -> Kernel {
    Kernel::new(&Activation::parse(text).expect("valid")).expect("a kernel")
}

fn hinges(knots: usize, power: usize) -> String {
    let hinges: Vec<String> =
        (0..knots).map(|t| format!("({})*max(0, x - {t}/3)^{power}", t % 5 + 1)).collect();
    hinges.join(" + ")
}

/// Numbers that look random, from a seed.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, count: u64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from((self.0 >> 33) % count).expect("small")
    }

    /// Pieces of any degree up to 9, with jumps or kinks at up to 12 knots.
    fn function(&mut self, name: &str) -> String {
        let mut text = format!("{name}(x) = piecewise {{ ");
        let mut at = -self.below(20) - 10;
        for _ in 0..self.below(12) + 1 {
            at += self.below(12) + 1;
            let _ = write!(text, "x < {at}/7: {}; ", self.polynomial());
        }
        text + &format!("else: {} }}", self.polynomial())
    }

    fn polynomial(&mut self) -> String {
        let degree = self.below(4) * self.below(4);
        let terms =
            (0..=degree).map(|j| format!("({}/{})*x^{j}", self.below(41) - 20, self.below(9) + 1));
        terms.collect::<Vec<_>>().join(" + ")
    }
}

#[test]
fn text_grows_as_the_number_of_knots() {
    let lines = |knots: usize, power: usize| {
        c::text(&[kernel(&hinges(knots, power))], Dialect::C).expect("a name").lines().count()
    };
    for power in [1, 2, 3] {
        let per_knot = (lines(24, power) - lines(16, power)) / 8;
        assert!(per_knot <= 25, "{per_knot} lines a knot for power {power}");
    }
}

#[test]
fn what_rust_takes_c_takes_with_the_same_bits() {
    let mut numbers = Numbers(7);
    let mut texts: Vec<String> = (0..12).map(|i| numbers.function(&format!("g{i}"))).collect();
    texts.push(format!("many(x) = {}", hinges(64, 1)));
    texts.push("high(x) = max(0, x)^64 - max(0, x - 1)^3".to_owned());
    let kernels: Vec<Kernel> = texts.iter().map(|text| kernel(text)).collect();
    let folder = Folder::new("knots");
    folder.write("all.h", &c::text(&kernels, Dialect::C).expect("names of C"));
    let mut calls = String::new();
    for kernel in &kernels {
        let name = &kernel.activation().name;
        let _ = writeln!(
            calls,
            "m = {name}_moments_grad(p[0], p[1]); fwrite(&m, sizeof m, 1, stdout);
             s = {name}_moments(p[0], p[1]); fwrite(&s, sizeof s, 1, stdout);
             x = {name}_value(p[0]); fwrite(&x, sizeof x, 1, stdout);"
        );
    }
    let source = folder.write(
        "all.c",
        &format!(
            "#include \"all.h\"\n#include <stdio.h>\nint main(void) {{ double p[2], x; gaussform_moments_grad m; \
             gaussform_moments s; while (fread(p, sizeof *p, 2, stdin) == 2) {{\n{calls}}} return 0; }}\n"
        ),
    );
    let program = folder.0.join("knots");
    let options = [
        "-std=c99",
        "-O1",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Wconversion",
        "-Wshadow",
        "-Werror",
    ];
    program::compile("gcc", &options, &source, &program, &["-lm"]);
    let points: Vec<[f64; 2]> = points().into_iter().step_by(3).collect();
    let got = run(&program, &points);
    let mut got = got.chunks_exact(11);
    for point @ [gamma, xi2] in points {
        for (kernel, text) in kernels.iter().zip(&texts) {
            let m = kernel.moments_grad(&[], gamma, xi2);
            let all = m.to_array();
            let expected = [&all[..], &all[..3], &[kernel.evaluate(&[], gamma)]].concat();
            let got = got.next().expect("as many results");
            // Loops of C sum in another order than the crate up to degree 3, and the crate takes nodes above degree 32.
            let degree = kernel.activation().function.degree();
            let is_exact = kernel.knots().len() <= 5 && degree <= 3 || (4..=32).contains(&degree);
            let finite = expected.iter().filter(|x| x.is_finite());
            let largest = finite.fold(0.0, |largest: f64, x| largest.max(x.abs()));
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * a.abs().max(0.1 * largest);
            let close = |a: f64, b: f64| same(a, b) || !is_exact && near(a, b);
            let is_same = got.iter().zip(&expected).all(|(a, b)| close(*a, *b));
            assert!(is_same, "{text} at {point:?}: {got:?}, and {expected:?} by the crate");
        }
    }
    folder.remove();
}
