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
    assert!(error(&["relu", "--weight", "-1"], TABLE).contains("a variance is not negative"));
    assert!(error(&["0*max(0, x)"], TABLE).contains("--weight"));
    assert!(gaussform(&["kernel", "relu"]).error().contains("--csv"));
}
