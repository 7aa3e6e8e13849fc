//! Two pre-activations as one file of Rust and as a library for C, compiled and run beside the crate.

use std::path::Path;
use std::process::Command;

use crate::program::{self, Folder};
use crate::same;
use gaussform_codegen::rust::{self, Library};
use gaussform_codegen::{Dynamic, Kernel};
use gaussform_runtime::pair::Inputs;
use gaussform_symbolic::Activation;

/// An activation of each kind: formulas, a parameter, narrow pieces, jumps and curves.
const SOFT: &str = "soft(x; a > 0) = clamp(x / a, -1, 1)";
const RELU: &str = "relu(x) = max(0, x)";
const HAT: &str = "hat(x) = max(0, 1/4 - |x|)";
const CURVED: &str = "curved(x) = |x^2 - 2| + step(x)";

/// γ, ξ², γ′, ξ′² and c: weak, strong and in tails, at the bound, without variance, far apart in scale, and no laws.
const LAWS: [[f64; 5]; 12] = [
    [0.5, 2.0, 0.1, 1.0, 1e-9],
    [0.5, 2.0, 0.1, 1.0, -0.7],
    [-3.0, 1.0, -4.0, 1.0, 0.6],
    [-3.0, 1.0, 4.0, 1.0, -0.99],
    [0.2, 1.0, 0.3, 4.0, 2.0],
    [0.2, 0.0, 0.3, 4.0, 0.0],
    [1e-160, 1e-320, 0.0, 1.0, 3e-161],
    [1e150, 1e300, 0.5, 1e-10, 1e144],
    [0.0, 0.01, 0.0, 0.01, 0.004],
    [0.0, 1.0, 0.0, 1.0, 1.5],
    [0.0, -1.0, 0.0, 1.0, 0.0],
    [f64::NAN, 1.0, 0.0, 1.0, 0.0],
];

/// Two activations with the value of the parameter, if there is one.
struct Pair {
    texts: [&'static str; 2],
    values: [&'static [f64]; 2],
}

const PAIRS: [Pair; 3] = [
    Pair { texts: [RELU, SOFT], values: [&[], &[0.3]] },
    Pair { texts: [HAT, CURVED], values: [&[], &[]] },
    Pair { texts: [SOFT, SOFT], values: [&[0.3], &[2.0]] },
];

impl Pair {
    fn activations(&self) -> [Activation; 2] {
        self.texts.map(|text| Activation::parse(text).expect("a declaration"))
    }

    fn kernels(&self) -> [Kernel; 2] {
        self.activations().map(|g| Kernel::new(&g).expect("a kernel"))
    }

    fn library(&self) -> Library {
        let [g, h] = self.kernels();
        rust::library(&g, &h)
    }

    /// The results of the crate for all laws.
    fn expected(&self) -> Vec<f64> {
        let [g, h] = self.activations();
        let g = Dynamic::new(&g, self.values[0]).expect("in its domain");
        let h = Dynamic::new(&h, self.values[1]).expect("in its domain");
        let at = |[gamma, xi2, gamma_h, xi2_h, cov]: [f64; 5]| {
            let moments = g.pair_moments(&h, Inputs { gamma, xi2, gamma_h, xi2_h, cov });
            moments.map_or([f64::NAN; 7], |moments| moments.to_array())
        };
        LAWS.into_iter().flat_map(at).collect()
    }

    /// A program in Rust with the emitted file beside it.
    fn in_rust(&self) -> String {
        let [first, second] = [0, 1].map(|i| {
            let name = rust::type_name(&self.activations()[i].name);
            match self.values[i] {
                [] => format!("pair::{name}"),
                [value] => format!("pair::{name}::new({value:?}).unwrap()"),
                _ => unreachable!("one parameter at most"),
            }
        });
        let laws: Vec<String> = LAWS.iter().map(|law| format!("{law:?}")).collect();
        let laws = laws.join(", ").replace("NaN", "f64::NAN");
        format!(
            "#![forbid(unsafe_code)]
#![deny(warnings)]
mod pair;
use pair::{{Inputs, pair_moments}};
fn main() {{
    for [gamma, xi2, gamma_h, xi2_h, cov] in [{laws}] {{
        let at = Inputs {{ gamma, xi2, gamma_h, xi2_h, cov }};
        let moments = pair_moments(&{first}, &{second}, at);
        for x in moments.map_or([f64::NAN; 7], |m| m.to_array()) {{
            println!(\"{{x:?}}\");
        }}
    }}
}}
"
        )
    }

    /// The name of the library.
    fn name(&self) -> String {
        let [g, h] = self.activations();
        format!("{}_{}", g.name, h.name)
    }

    /// A program in C with the header beside it.
    fn in_c(&self) -> String {
        let name = self.name();
        let values = self.values.concat().iter().map(|x| format!("{x:?}, ")).collect::<String>();
        let laws: Vec<String> =
            LAWS.iter().map(|law| format!("{law:?}").replace(['[', ']'], "")).collect();
        let laws = format!("{{{}}}", laws.join("}, {")).replace("NaN", "NAN");
        format!(
            "#include <math.h>
#include <stdio.h>
#include \"{name}.h\"
static const double laws[][5] = {{{laws}}};
int main(void) {{
    size_t i;
    for (i = 0; i < sizeof laws / sizeof *laws; i++) {{
        const double *l = laws[i];
        {name}_pair v = {name}_pair_moments({values}l[0], l[1], l[2], l[3], l[4]);
        printf(\"%.17g %.17g %.17g %.17g %.17g %.17g %.17g\\n\", v.mixed, v.covariance,
               v.dcovariance_dgamma, v.dcovariance_dxi2, v.dcovariance_dgamma_h,
               v.dcovariance_dxi2_h, v.dcovariance_dcov);
    }}
    return 0;
}}
"
        )
    }
}

fn printed(program: &Path) -> Vec<f64> {
    let output = Command::new(program).output().expect("runs").stdout;
    let text = String::from_utf8(output).expect("text");
    text.split_whitespace().map(|number| number.parse().expect("a number")).collect()
}

#[test]
fn one_file_has_the_numbers_of_the_crate() {
    for (i, pair) in PAIRS.iter().enumerate() {
        let folder = Folder::new(&format!("pair-{i}"));
        let [g, h] = pair.kernels();
        folder.write("pair.rs", &rust::standalone_pair(&g, &h));
        let source = folder.write("main.rs", &pair.in_rust());
        let program = folder.0.join("main");
        let edition = ["--edition=2021", "--edition=2024"][i % 2];
        program::compile("rustc", &[edition], &source, &program, &[]);
        let (found, expected) = (printed(&program), pair.expected());
        assert_eq!(found.len(), expected.len());
        for (k, (found, expected)) in found.into_iter().zip(expected).enumerate() {
            // The exponential is another one.
            let is_near = (found - expected).abs() <= 1e-13 * expected.abs();
            let (law, number) = (LAWS[k / 7], k % 7);
            assert!(
                is_near || same(found, expected),
                "{i} {law:?} {number}: {found:e} {expected:e}"
            );
        }
        folder.remove();
    }
}

#[test]
fn a_library_for_c_has_the_numbers_of_the_file() {
    for (i, pair) in PAIRS.iter().enumerate() {
        let folder = Folder::new(&format!("pair-c-{i}"));
        let [g, h] = pair.kernels();
        folder.write("pair.rs", &rust::standalone_pair(&g, &h));
        let source = folder.write("main.rs", &pair.in_rust());
        let in_rust = folder.0.join("in-rust");
        program::compile("rustc", &["--edition=2021"], &source, &in_rust, &[]);
        let (name, library) = (pair.name(), pair.library());
        folder.write(&format!("{name}.h"), &library.header);
        let source = folder.write(&format!("{name}.rs"), &library.source);
        let archive = folder.0.join(format!("lib{name}.a"));
        let options = ["--edition=2021", "--crate-type=staticlib", "-Dwarnings"];
        program::compile("rustc", &options, &source, &archive, &[]);
        let source = folder.write("main.c", &pair.in_c());
        let archive = archive.to_str().expect("a path");
        for (compiler, standard) in [("gcc", "-std=c99"), ("g++", "-std=c++11")] {
            let program = folder.0.join(compiler);
            let language = if compiler == "gcc" { "-xc" } else { "-xc++" };
            let options = [standard, "-Wall", "-Wextra", "-Werror", language];
            let libraries = ["-xnone", archive, "-lm", "-lpthread", "-ldl"];
            program::compile(compiler, &options, &source, &program, &libraries);
            let (found, expected) = (printed(&program), printed(&in_rust));
            assert_eq!(found.len(), 7 * LAWS.len());
            assert!(
                found.iter().zip(&expected).all(|(a, b)| same(*a, *b)),
                "{found:?} {expected:?}"
            );
        }
        folder.remove();
    }
}

#[test]
fn the_header() {
    insta::assert_snapshot!(PAIRS[2].library().header);
}

#[test]
fn a_file_of_one_pre_activation_has_nothing_of_two() {
    let [g, _] = PAIRS[0].kernels();
    let text = rust::standalone(&[g]);
    for word in ["scalbn", "InvalidLaw", "std::vec"] {
        assert!(!text.contains(word), "{word}");
    }
}
