//! `gaussform kernel`: matrices of infinitely wide networks.

use crate::support::{gaussform, gaussform_with};

const TABLE: &[u8] = b"a,b\n1,0.5\n-0.3,2\n0.7,0.7\n";
const POINTS: [[f64; 2]; 3] = [[1.0, 0.5], [-0.3, 2.0], [0.7, 0.7]];

fn kernel(args: &[&str]) -> Vec<Vec<f64>> {
    let args = [&["kernel"], args, &["--csv", "-"]].concat();
    let output = gaussform_with(&args, TABLE).output();
    let row = |line: &str| line.split(',').map(|x| x.parse().expect("a number")).collect();
    output.lines().map(row).collect()
}

/// The arc-cosine kernel of Cho and Saul, layer by layer, for weights of variance 2 and no bias.
fn arc_cosine(x: [f64; 2], y: [f64; 2], depth: usize, tangent: bool) -> f64 {
    let dot = |x: [f64; 2], y: [f64; 2]| (x[0] * y[0] + x[1] * y[1]) / 2.0;
    let (mut k, sizes) = (dot(x, y), (dot(x, x) * dot(y, y)).sqrt());
    let mut theta = k;
    for _ in 0..depth {
        let angle = (k / sizes).clamp(-1.0, 1.0).acos();
        let rest = std::f64::consts::PI - angle;
        k = sizes * (angle.sin() + rest * angle.cos()) / std::f64::consts::PI;
        theta = k + theta * rest / std::f64::consts::PI;
    }
    if tangent { theta } else { k }
}

#[test]
fn a_deep_network_of_relus_has_the_arc_cosine_kernel() {
    for (kind, tangent) in [("nngp", false), ("ntk", true)] {
        for depth in ["1", "3"] {
            let found = kernel(&["--activation", "relu", "--depth", depth, "--kind", kind]);
            for (i, row) in found.iter().enumerate() {
                for (j, value) in row.iter().enumerate() {
                    let layers = depth.parse().expect("a number");
                    let wanted = arc_cosine(POINTS[i], POINTS[j], layers, tangent);
                    assert!((value - wanted).abs() < 1e-13, "{kind} {i} {j}: {value} {wanted}");
                    assert_eq!(*value, found[j][i]);
                }
            }
        }
    }
}

#[test]
fn what_is_given_counts() {
    let usual = kernel(&["clamp(x, -1, 1)", "--depth", "2"]);
    let other = kernel(&["clamp(x, -1, 1)", "--depth", "2", "--weight", "1.5", "--bias", "1/4"]);
    assert!(usual[0][1] != other[0][1] && other.len() == 3);
    // A constant has a covariance of its square, whatever the inputs.
    for row in kernel(&["1/2 + 0*max(0, x)", "--weight", "4", "--bias", "1"]) {
        assert!(row.iter().all(|value| *value == 2.0), "{row:?}");
    }
}

#[test]
fn what_is_wrong_is_shown() {
    let error = |args: &[&str], table: &[u8]| {
        gaussform_with(&[&["kernel"], args, &["--csv", "-"]].concat(), table).error()
    };
    assert!(error(&["relu"], b"a,b\n1,2\n3\n").contains("line 3"));
    assert!(error(&["relu"], b"a,b\n1,x\n").contains("line 2, column 2: `b` is `x`"));
    assert!(error(&["relu"], b"a,b\n").contains("no rows"));
    let beyond = "row 2 below the header: the variance of the outputs is beyond the largest number";
    assert!(error(&["relu"], b"a,b\n1,2\n1e200,3\n").contains(beyond));
    assert!(error(&["x^3"], b"a,b\n1,2\n1e150,3\n").contains(beyond));
    let bias = error(&["relu", "--bias", "1e308"], b"a\n1\n2\n");
    assert!(bias.contains("give a smaller `--bias`") && !bias.contains("--weight"), "{bias}");
    let tangent = error(&["relu", "--depth", "9", "--kind", "ntk"], b"a\n1e154\n1\n");
    assert!(tangent.contains("row 1 below the header: the tangent kernel is beyond"), "{tangent}");
    for table in ["a,b\n1e-200,0\n1,1\n", "a,b\n1e-200,0\n0,1\n", "a,b\n1e-158,0\n1,1\n"] {
        for kind in ["nngp", "ntk"] {
            let small = error(&["relu", "--kind", kind], table.as_bytes());
            let message = "row 1 below the header: a variance is below the smallest number";
            assert!(small.contains(message) && small.contains("scale the columns up"), "{small}");
        }
    }
    let deep = error(&["relu", "--weight", "1e-200", "--depth", "3"], b"a\n1e154\n1\n");
    assert!(deep.contains("row 2 below the header: a variance is below"), "{deep}");
    assert!(error(&["relu", "--weight", "-1"], TABLE).contains("a variance is not negative"));
    assert!(error(&["0*max(0, x)"], TABLE).contains("--weight"));
    assert!(gaussform(&["kernel", "relu"]).error().contains("--csv"));
}

/// Zeros that are given are no underflow, and a bias covers small inputs.
#[test]
fn zeros_and_jumps_have_kernels() {
    let kernel = |args: &[&str], table: &[u8]| {
        gaussform_with(&[&["kernel"], args, &["--csv", "-"]].concat(), table).output()
    };
    let zero = "0.0000000000000000e0,0.0000000000000000e0\n";
    assert!(kernel(&["relu"], b"a,b\n0,0\n1,1\n").starts_with(zero));
    assert_eq!(kernel(&["relu", "--weight", "0"], b"a\n1\n2\n"), zero.repeat(2));
    kernel(&["relu", "--bias", "1"], b"a,b\n1,0\n0,1e-200\n");
    // A step has no tangent kernel of equal inputs.
    assert!(kernel(&["step(x)", "--kind", "ntk"], b"a\n1\n-1\n").starts_with("inf,"));
}
