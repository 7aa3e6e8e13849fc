//! Headers of C, compiled and run: the same bits as the crate, and right by the 40-digit tables.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use crate::program::{self, Folder, agrees, run};
use crate::{CASES, Case, golden};
use gaussform_codegen::Kernel;
use gaussform_codegen::c::{self, Dialect, NameError};
use gaussform_symbolic::Activation;

/// Options of the compiler under which emitted code must not warn.
const STRICT: [&str; 6] = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"];

/// Compiles a program, without a warning.
fn compile(compiler: &str, options: &[&str], source: &Path, program: &Path) {
    program::compile(compiler, options, source, program, &["-lm"]);
}

fn kernels() -> Vec<Kernel> {
    CASES.iter().map(Case::kernel).collect()
}

fn kernel(text: &str) -> Kernel {
    Kernel::new(&Activation::parse(text).expect("a valid activation")).expect("a kernel")
}

fn header(kernels: &[Kernel], dialect: Dialect) -> String {
    c::text(kernels, dialect).expect("names of C")
}

/// A program that computes everything for the points that it reads. With arrays, it fails where these do not have the bits of
/// single numbers.
fn driver(has_arrays: bool) -> String {
    let mut body = String::new();
    for case in &CASES {
        let name = case.name;
        let values: String = case.parameters.iter().map(|value| format!(", {value:?}")).collect();
        let count = case.parameters.len();
        let _ = write!(
            body,
            "static void run_{name}(double gamma, double xi2) {{
    const gaussform_moments_grad m = {name}_moments_grad(gamma, xi2{values});
    const gaussform_moments_grad_f32 s = {name}_moments_grad_f32((float)gamma, (float)xi2{values});
    put({name}_value(gamma{values}));
    put(m.mean); put(m.second); put(m.variance); put(m.dmean_dgamma); put(m.dmean_dxi2);
    put(m.dvariance_dgamma); put(m.dvariance_dxi2);
"
        );
        if count > 0 {
            let _ = write!(
                body,
                "    gaussform_parameter_grad out[{count}];
    {name}_parameter_grad(gamma, xi2{values}, out);
    for (int i = 0; i < {count}; i++) {{ put(out[i].dmean); put(out[i].dsecond); put(out[i].dvariance); }}
"
            );
        }
        body.push_str(
            "    put((double)s.mean); put((double)s.second); put((double)s.variance);
    put((double)s.dmean_dgamma); put((double)s.dmean_dxi2);
    put((double)s.dvariance_dgamma); put((double)s.dvariance_dxi2);
}
",
        );
        let _ = write!(
            body,
            "static inline int arrays_of_{name}(size_t n) {{
    int wrong = 0;
    {name}_moments_grad_into(n, g, x, r[0], r[1], r[2], r[3], r[4], r[5]{values});
    for (size_t i = 0; i < n; i++) {{
        const gaussform_moments_grad m = {name}_moments_grad(g[i], x[i]{values});
        wrong |= differ(r[0][i], m.mean) | differ(r[1][i], m.variance);
        wrong |= differ(r[2][i], m.dmean_dgamma) | differ(r[3][i], m.dmean_dxi2);
        wrong |= differ(r[4][i], m.dvariance_dgamma) | differ(r[5][i], m.dvariance_dxi2);
    }}
    return wrong;
}}
"
        );
    }
    let calls: String =
        CASES.iter().map(|case| format!("        run_{}(g[i], x[i]);\n", case.name)).collect();
    let compared = CASES.iter().filter(|_| has_arrays);
    let arrays: String =
        compared.map(|case| format!("    wrong |= arrays_of_{}(n);\n", case.name)).collect();
    format!(
        "#include \"all.h\"
#include <stdio.h>
static void put(double x) {{ fwrite(&x, sizeof x, 1, stdout); }}
static inline int differ(double a, double b) {{ return gsf_bits(a) != gsf_bits(b) && (a == a || b == b); }}
enum {{ MOST = 4096 }};
static double g[MOST], x[MOST], r[6][MOST];
{body}
int main(void) {{
    double point[2];
    size_t n = 0;
    int wrong = 0;
    while (n < MOST && fread(point, sizeof *point, 2, stdin) == 2) {{
        g[n] = point[0];
        x[n++] = point[1];
    }}
{arrays}    for (size_t i = 0; i < n; i++) {{
{calls}    }}
    return wrong;
}}
"
    )
}

/// What a processor of this machine has, which the compiler may use.
const NATIVE: &[&str] = if cfg!(target_arch = "x86_64") { &["-march=native"] } else { &[] };

#[test]
fn c_gives_the_bits_of_the_crate() {
    of_the_crate("o2", &["-std=c99", "-O2"], true, right);
}

#[test]
fn c_gives_the_bits_of_the_crate_with_all_optimizations() {
    // Arrays would take as long again to compile.
    of_the_crate("o3", &["-std=gnu17", "-O3", "-ffp-contract=fast"], false, |_| {});
}

/// Compares a program that a compiler makes with these options with the crate, and goes on with it.
fn of_the_crate(name: &str, options: &[&str], has_arrays: bool, and: impl Fn(&Path)) {
    let folder = Folder::new(name);
    folder.write("all.h", &header(&kernels(), Dialect::C));
    let source = folder.write("all.c", &driver(has_arrays));
    let program = folder.0.join(name);
    compile("gcc", &[options, NATIVE, &STRICT].concat(), &source, &program);
    agrees(&program, Case::kernel);
    and(&program);
    folder.remove();
}

/// Sanitizers end a program that reads or writes beside an array, or computes what C does not define.
#[test]
#[ignore = "takes half a minute of a compiler; each week"]
fn c_reads_and_writes_its_own_memory_alone() {
    let folder = Folder::new("sanitized");
    folder.write("all.h", &header(&kernels(), Dialect::C));
    let source = folder.write("all.c", &driver(true));
    let program = folder.0.join("sanitized");
    let sanitizers = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    compile("gcc", &[&["-std=c99", "-O1"], &sanitizers[..], &STRICT].concat(), &source, &program);
    agrees(&program, Case::kernel);
    folder.remove();
}

#[test]
fn the_header_is_cxx_too() {
    let folder = Folder::new("cxx");
    folder.write("all.h", &header(&kernels(), Dialect::C));
    let source = folder.write("all.cpp", &driver(true));
    let program = folder.0.join("cxx");
    compile("g++", &[&["-std=c++11", "-O0"][..], &STRICT].concat(), &source, &program);
    agrees(&program, Case::kernel);
    folder.remove();
}

/// Within the tolerance of the scalar kernels (`tests/golden.rs`).
fn right(program: &Path) {
    let rows = golden();
    let points: Vec<[f64; 2]> = rows.iter().map(|row| row.point).collect();
    let got = run(program, &points);
    let per_point = got.len() / rows.len();
    let mut checked = 0;
    for (row, got) in rows.iter().zip(got.chunks(per_point)) {
        let mut start = 0;
        for case in &CASES {
            // `leaky_relu` of the tables has the slope 1/100.
            if case.name == row.activation {
                let error = row.error(&got[start + 1..start + 8]);
                assert!(error <= 6.0, "{}: {error:.1} ulp at {:?}", case.name, row.point);
                checked += 1;
            }
            start += 15 + 3 * case.parameters.len();
        }
    }
    assert!(checked > 300, "{checked} rows");
}

#[test]
fn batches_and_products_are_those_of_single_numbers() {
    let folder = Folder::new("batch");
    folder.write("soft.h", &header(&[CASES[8].kernel()], Dialect::C));
    // Included twice, as two headers of a program may have it.
    let source = folder.write(
        "batch.c",
        "#include \"soft.h\"
#include \"soft.h\"
/* More than a block, and no multiple of any number of lanes. */
enum { N = 301 };
int main(void) {
    const double a = 0.5;
    static double gamma[N], xi2[N], d_mean[N], d_variance[N];
    static double mean[N], variance[N], d_gamma[N], d_xi2[N], g[4][N];
    static float gamma_f32[N], xi2_f32[N], mean_f32[N], variance_f32[N];
    int wrong = soft_is_valid(0.0) || !soft_is_valid(0.5) || soft_is_valid((double)INFINITY);
    for (int i = 0; i < N; i++) {
        gamma[i] = i % 7 == 0 ? 40.0 : i / 50.0 - 3.0;
        xi2[i] = i % 11 == 0 ? 0.0 : i % 13 == 0 ? 1e300 : (i % 17 + 1) / 8.0;
        gamma_f32[i] = (float)gamma[i];
        xi2_f32[i] = i % 13 == 0 ? 1e30f : (float)xi2[i];
        d_mean[i] = 1.0 - i / 100.0;
        d_variance[i] = i % 5 - 2.0;
    }
    soft_moments_into(N, gamma, xi2, mean, variance, a);
    soft_moments_grad_into(N, gamma, xi2, mean, variance, g[0], g[1], g[2], g[3], a);
    soft_vjp_into(N, gamma, xi2, d_mean, d_variance, d_gamma, d_xi2, a);
    soft_moments_into_f32(N, gamma_f32, xi2_f32, mean_f32, variance_f32, a);
    for (int i = 0; i < N; i++) {
        const gaussform_moments_grad m = soft_moments_grad(gamma[i], xi2[i], a);
        const gaussform_moments_f32 s = soft_moments_f32(gamma_f32[i], xi2_f32[i], a);
        wrong |= mean[i] != m.mean || variance[i] != m.variance;
        wrong |= g[0][i] != m.dmean_dgamma || g[3][i] != m.dvariance_dxi2;
        wrong |= d_gamma[i] != d_mean[i] * m.dmean_dgamma + d_variance[i] * m.dvariance_dgamma;
        wrong |= d_xi2[i] != d_mean[i] * m.dmean_dxi2 + d_variance[i] * m.dvariance_dxi2;
        wrong |= mean_f32[i] != s.mean || variance_f32[i] != s.variance;
    }
    /* In place. */
    soft_moments_into(N, gamma, xi2, gamma, xi2, a);
    for (int i = 0; i < N; i++) {
        wrong |= gamma[i] != mean[i] || xi2[i] != variance[i];
    }
    return wrong;
}
",
    );
    let program = folder.0.join("batch");
    compile(
        "gcc",
        &[&["-std=c99", "-O2", "-ffp-contract=off"][..], &STRICT].concat(),
        &source,
        &program,
    );
    assert!(Command::new(&program).status().expect("runs").success());
    folder.remove();
}

#[test]
fn the_example_runs() {
    let folder = Folder::new("example");
    folder.write("relu.h", &header(&[CASES[0].kernel()], Dialect::C));
    let source = folder.write("relu.c", include_str!("../../../examples/emit/relu.c"));
    let program = folder.0.join("relu");
    compile("gcc", &[&["-std=c99", "-O2"][..], &STRICT].concat(), &source, &program);
    let output = Command::new(&program).output().expect("runs").stdout;
    insta::assert_snapshot!(String::from_utf8_lossy(&output));
    folder.remove();
}

/// The names that CUDA has and C++ does not: enough to run kernels, one thread after the other.
const DEVICE: &str = "
#include <math.h>
#include <stddef.h>
#define __host__
#define __device__
#define __global__
struct dim3 { unsigned x; };
static dim3 blockIdx = {0}, blockDim = {1}, threadIdx = {0};
";

/// No compiler of CUDA is asked for here: the header is compiled for the host, where it fuses products and sums as on a
/// device.
#[test]
fn cuda_is_right_on_the_host() {
    let folder = Folder::new("cuda");
    let text = header(&kernels(), Dialect::Cuda);
    folder.write("all.h", &format!("{DEVICE}{text}"));
    let source = folder.write("all.cpp", &driver(false));
    let options = ["-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"];
    let host = folder.0.join("host");
    compile("g++", &options, &source, &host);
    right(&host);
    let relu = header(&[CASES[0].kernel()], Dialect::Cuda);
    folder.write("relu.h", &format!("{DEVICE}{relu}"));
    let source = folder.write(
        "kernel.cpp",
        "#include \"relu.h\"
int main() {
    const double gamma[2] = {0.3, -2.0}, xi2[2] = {1.0, 0.5};
    double mean[3] = {0.0, 0.0, 7.0}, variance[3] = {0.0, 0.0, 7.0};
    for (blockIdx.x = 0; blockIdx.x < 3; blockIdx.x++) {
        relu_moments_kernel(2, gamma, xi2, mean, variance);
    }
    const gaussform_moments m = relu_moments(gamma[1], xi2[1]);
    return mean[1] != m.mean || variance[1] != m.variance || mean[2] != 7.0;
}
",
    );
    let kernel = folder.0.join("kernel");
    compile("g++", &options, &source, &kernel);
    assert!(Command::new(&kernel).status().expect("runs").success());
    folder.remove();
}

#[test]
fn arithmetic_that_is_not_as_written_is_an_error() {
    let folder = Folder::new("fast");
    folder.write("relu.h", &header(&[CASES[0].kernel()], Dialect::C));
    let source = folder.write("fast.c", "#include \"relu.h\"\n");
    for option in ["-ffast-math", "-ffinite-math-only", "-funsafe-math-optimizations"] {
        let output = Command::new("gcc").args([option, "-fsyntax-only"]).arg(&source).output();
        let output = output.unwrap_or_else(|error| panic!("these tests need `gcc`: {error}"));
        let messages = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && messages.contains(option), "{option}: {messages}");
    }
    folder.remove();
}

#[test]
fn a_header_has_what_it_calls_and_nothing_else() {
    let relu = header(&[CASES[0].kernel()], Dialect::C);
    for primitive in ["powers_on", "high_step", "word_add", "pair_mul", "end"] {
        assert!(!relu.contains(&format!("gsf_f64_{primitive}")), "{primitive}");
        assert!(!relu.contains(&format!("gsf_{primitive}")), "{primitive}");
    }
    assert!(relu.contains("gsf_wide_tails_3") && !relu.contains("tails_5"));
    let hat = header(&[CASES[4].kernel()], Dialect::C);
    assert!(!hat.contains("walk_straight"));
    assert!(!hat.contains("gsf_rule_of") && !hat.contains("gsf_f64_add_curved"));
    let rough = header(&[CASES[16].kernel()], Dialect::C);
    assert!(rough.contains("gsf_wide_walk_curved") && !rough.contains("walk_straight"));
}

#[test]
fn headers_that_call_different_primitives_stand_beside_each_other() {
    let folder = Folder::new("beside");
    let cases = [0, 4, 6, 8, 12].map(|case: usize| &CASES[case]);
    let name = |case: &Case| format!("#include \"{}.h\"\n", case.name);
    for case in cases {
        folder.write(&format!("{}.h", case.name), &header(&[case.kernel()], Dialect::C));
    }
    let in_order: String = cases.iter().map(|case| name(case)).collect();
    let reverse: String = cases.iter().rev().map(|case| name(case)).collect();
    for (order, includes) in [("order", in_order), ("reverse", reverse)] {
        let text = format!("{includes}int main(void) {{ return 0; }}\n");
        let source = folder.write(&format!("{order}.c"), &text);
        compile("gcc", &[&["-std=c99"][..], &STRICT].concat(), &source, &folder.0.join(order));
    }
    folder.remove();
}

#[test]
fn two_activations_of_one_name_do_not_meet() {
    let folder = Folder::new("names");
    folder.write("a.h", &header(&[kernel("g(x) = max(0, x)")], Dialect::C));
    folder.write("b.h", &header(&[kernel("g(x) = |x|")], Dialect::C));
    let source = folder.write("both.c", "#include \"a.h\"\n#include \"b.h\"\n");
    let output = Command::new("gcc").arg("-fsyntax-only").arg(&source).output().expect("gcc");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(messages.contains("different activations called `g`"), "{messages}");
    folder.remove();
    for (name, expected) in [
        ("_g", NameError::Reserved("_g".to_owned())),
        ("gsf_f64", NameError::Own("gsf_f64".to_owned())),
    ] {
        let kernels = [kernel(&format!("{name}(x) = max(0, x)"))];
        assert_eq!(c::text(&kernels, Dialect::C), Err(expected));
    }
}

/// The functions of an activation call each other, and some names are macros of C.
#[test]
fn a_parameter_may_be_called_as_a_function_is() {
    let names = ["g_moments", "g_moments_grad", "g_vjp", "g_is_valid", "complex", "fma", "main"];
    for name in names {
        let folder = Folder::new(&format!("called_{name}"));
        let declared = kernel(&format!("g(x; {name} > 0) = max(-{name}, x)"));
        folder.write("g.h", &header(&[declared], Dialect::C));
        let source = folder.write("g.c", "#include <complex.h>\n#include \"g.h\"\n");
        compile("gcc", &["-std=c99", "-fsyntax-only"], &source, &folder.0.join("g"));
        folder.remove();
    }
}

#[test]
fn a_parameter_in_c() {
    let kernel = CASES[1].kernel();
    let text = header(&[kernel], Dialect::C);
    let start = text.find("#ifndef GAUSSFORM_ACTIVATION_leaky_relu").expect("the activation");
    insta::assert_snapshot!(&text[start..]);
}

#[test]
fn relu_in_cuda() {
    let text = header(&[CASES[0].kernel()], Dialect::Cuda);
    let start = text.find("#ifndef GAUSSFORM_ACTIVATION_relu").expect("the activation");
    insta::assert_snapshot!(&text[start..]);
}
