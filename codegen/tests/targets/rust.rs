//! Files of Rust without a crate, compiled and run: the same bits as the crate.

use std::fmt::Write as _;
use std::process::Command;

use crate::program::{self, Folder, agrees};
use crate::{CASES, Case};
use gaussform_codegen::rust;

fn file(cases: &[Case]) -> String {
    let kernels: Vec<_> = cases.iter().map(Case::kernel).collect();
    rust::standalone(&kernels)
}

/// A program that computes everything for the points that it reads.
fn driver() -> String {
    let mut calls = String::new();
    for case in &CASES {
        let name = rust::type_name(case.name);
        let values: Vec<String> = case.parameters.iter().map(|v| format!("{v:?}")).collect();
        let make = match values.as_slice() {
            [] => format!("all::{name}"),
            values => format!("all::{name}::new({}).unwrap()", values.join(", ")),
        };
        let _ = writeln!(calls, "        all_of(&{make}, gamma, xi2, &mut out);");
    }
    // Where the moments underflow.
    let far = CASES[0].kernel().fixed(&[]).log_moments_grad(-40.0, 1.0);
    let far = [far.log_mean, far.log_variance];
    format!(
        "#![forbid(unsafe_code)]
#![deny(warnings)]
mod all;
use std::io::{{Read, Write}};
use all::{{Activation, ParameterGrad}};
fn all_of<A>(g: &A, gamma: f64, xi2: f64, out: &mut Vec<f64>)
where
    A: Activation<f64> + Activation<f32>,
{{
    out.push(g.value(gamma));
    out.extend(g.moments_grad(gamma, xi2).to_array());
    let mut entries = vec![ParameterGrad::default(); <A as Activation<f64>>::PARAMETERS.len()];
    g.parameter_grad(gamma, xi2, &mut entries);
    out.extend(entries.iter().flat_map(|e| [e.dmean, e.dsecond, e.dvariance]));
    out.extend(g.moments_grad(gamma as f32, xi2 as f32).to_array().map(f64::from));
    let (mut mean, mut variance, m) = ([0.0], [0.0], g.moments(gamma, xi2));
    g.moments_into(&[gamma], &[xi2], &mut mean, &mut variance);
    assert_eq!([mean[0], variance[0]].map(f64::to_bits), [m.mean, m.variance].map(f64::to_bits));
}}
fn main() {{
    let (mut input, mut out) = (Vec::new(), Vec::new());
    std::io::stdin().read_to_end(&mut input).unwrap();
    for point in input.chunks(16) {{
        let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().unwrap());
        let (gamma, xi2) = (number(&point[..8]), number(&point[8..]));
{calls}    }}
    let far = Activation::<f64>::log_moments_grad(&all::Relu, -40.0, 1.0);
    assert_eq!([far.log_mean, far.log_variance], {far:?});
    let bytes: Vec<u8> = out.iter().flat_map(|x| x.to_le_bytes()).collect();
    std::io::stdout().write_all(&bytes).unwrap();
}}
"
    )
}

#[test]
fn one_file_gives_the_bits_of_the_crate() {
    let folder = Folder::new("rust");
    folder.write("all.rs", &file(&CASES));
    let source = folder.write("main.rs", &driver());
    let program = folder.0.join("main");
    program::compile("rustc", &["--edition=2024"], &source, &program, &[]);
    agrees(&program, Case::kernel);
    folder.remove();
}

#[test]
fn the_example_runs() {
    let folder = Folder::new("rust-example");
    folder.write("activations.rs", &file(&CASES[..1]));
    let source = folder.write("relu.rs", include_str!("../../../examples/emit/relu.rs"));
    let program = folder.0.join("relu");
    program::compile("rustc", &["--edition=2024", "-Dwarnings"], &source, &program, &[]);
    let output = Command::new(&program).output().expect("runs").stdout;
    insta::assert_snapshot!(String::from_utf8_lossy(&output));
    folder.remove();
}

#[test]
fn it_is_a_library_of_every_edition_since_2021() {
    let folder = Folder::new("edition");
    // An activation that has the name of something else.
    let moments = Case { name: "moments", text: "moments(x) = max(0, x)^5", parameters: &[] };
    let source = folder.write("moments.rs", &file(&[moments]));
    for edition in ["--edition=2021", "--edition=2024"] {
        let options = ["--crate-type=lib", "--emit=metadata", "-Dwarnings", edition];
        program::compile("rustc", &options, &source, &folder.0.join("moments.rmeta"), &[]);
    }
    folder.remove();
}

#[test]
fn a_file_has_what_its_kernel_needs() {
    let folder = Folder::new("alone");
    let alone = ["relu", "leaky_relu", "hat", "three", "smootherstep", "rough", "steps", "large"];
    for case in CASES.iter().filter(|case| alone.contains(&case.name)) {
        let source = folder.write("alone.rs", &file(std::slice::from_ref(case)));
        let options = ["--crate-type=lib", "--emit=metadata", "-Dwarnings", "--edition=2021"];
        program::compile("rustc", &options, &source, &folder.0.join("alone.rmeta"), &[]);
    }
    folder.remove();
    // Formulas have no sum over pieces, and a sum of truncated moments has no quadrature.
    let [relu, hat] = ["relu", "hat"].map(|name| {
        let case = CASES.iter().position(|case| case.name == name).expect("a case");
        file(&CASES[case..=case])
    });
    for word in ["mod sum {", "mod pieces", "mod measure", "parameter_gradients"] {
        assert!(!relu.contains(word), "{word}");
    }
    for word in ["mod curved", "mod walk", "mod measure", "parameter_gradients"] {
        assert!(!hat.contains(word), "{word}");
    }
}

#[test]
fn relu_in_one_file() {
    let text = file(&CASES[..1]);
    let (start, _) = text.split_once("pub mod runtime {").expect("the runtime");
    insta::assert_snapshot!(start);
}

#[test]
fn nothing_of_the_vectors_is_left() {
    let text = file(&CASES[..1]);
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let code: String = code.map(|line| format!("{line}\n")).collect();
    for word in ["unsafe", "target_feature", "dispatch", "Task", "Linear", "crate::", "Batch"] {
        assert!(!code.contains(word), "{word}");
    }
}

#[test]
fn nothing_depends_on_a_feature() {
    let text = file(&CASES);
    let line = text.lines().find(|line| line.contains("feature ="));
    assert_eq!(line, None, "a crate that has no such feature would be warned");
}
