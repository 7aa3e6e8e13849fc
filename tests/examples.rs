//! The small programs of `examples/`: each is run, and what it prints is compared with values that owe nothing
//! to gaussform.
//!
//! The values were computed with mpmath in 60 digits: `h(z) = z*erfc(-z/sqrt(2))/2 + npdf(z)` for hinges, sums of
//! it for the reward and the butterfly, and `quad` of the definition times the density for everything else.

#![allow(clippy::duplicate_mod, reason = "each example is a program, and two of them draw")]

#[path = "../examples/bachelier.rs"]
#[allow(dead_code, reason = "its `main`")]
mod bachelier;
#[path = "../examples/batch.rs"]
#[allow(dead_code, reason = "its `main`")]
mod batch;
#[path = "../examples/declare.rs"]
#[allow(dead_code, reason = "its `main`")]
mod declare;
#[path = "../examples/deep_covariances.rs"]
#[allow(dead_code, reason = "its `main`")]
mod deep_covariances;
#[path = "../examples/expected_improvement.rs"]
#[allow(dead_code, reason = "its `main`")]
mod expected_improvement;
#[path = "../examples/gaussian_process.rs"]
#[allow(dead_code, reason = "its `main`")]
mod gaussian_process;
#[path = "../examples/inspect.rs"]
#[allow(dead_code, reason = "its `main`")]
mod inspect;
#[path = "../examples/saturating_sensor.rs"]
#[allow(dead_code, reason = "its `main`")]
mod saturating_sensor;

/// The text that a program prints.
fn printed<E: std::fmt::Debug>(report: impl FnOnce(&mut Vec<u8>) -> Result<(), E>) -> String {
    let mut bytes = Vec::new();
    report(&mut bytes).expect("the program has an answer");
    String::from_utf8(bytes).expect("text")
}

/// The numbers of the rows behind a line that contains `heading`, up to the next empty line.
fn table(text: &str, heading: &str) -> Vec<Vec<f64>> {
    let lines = text.lines().skip_while(|line| !line.contains(heading)).skip(1);
    let numbers =
        |line: &str| line.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    lines.take_while(|line| !line.is_empty()).map(numbers).collect()
}

/// Compares rows, by their first number and those behind it, to so many digits.
#[track_caller]
fn compare<const N: usize>(rows: &[Vec<f64>], wanted: &[(f64, [f64; N])], digits: f64) {
    assert_eq!(rows.len(), wanted.len(), "{rows:?}");
    for (row, (first, wanted)) in rows.iter().zip(wanted) {
        assert!(
            row[0] == *first && row.len() > N,
            "{row:?} where {first} and {wanted:?} are wanted"
        );
        for (found, wanted) in row[1..].iter().zip(wanted) {
            let error = (found / wanted - 1.0).abs();
            assert!(
                wanted.is_infinite() || error < digits,
                "{found:e}, not {wanted:e}, at {first}"
            );
        }
    }
}

/// A column of which nothing is known, or which is checked otherwise.
const ANY: f64 = f64::INFINITY;

#[test]
fn a_declaration_is_evaluated() {
    let text = printed(declare::report);
    let rows = table(&text, "expected   standard");
    let wanted = [
        (0.5, [ANY, 0.192_216_102, 0.407_828_853, 0.390_425_592]),
        (1.0, [1.0 / 3.0, 0.390_370_965, 0.418_300_957, 0.398_843_007]),
        (1.5, [2.0 / 3.0, 0.584_724_461, 0.398_840_296, 0.370_216_473]),
        (2.0, [1.0, 0.752_245_014, 0.338_813_407, 0.292_913_862]),
        (4.0, [1.0, 0.994_378_056, 0.049_425_946_4, 0.015_013_933_0]),
        (8.0, [1.0, 0.999_999_999_9, 4.639_558_42e-6, 6.577_038_30e-10]),
    ];
    compare(&rows, &wanted, 3e-6);
    assert!(text.contains("`band < full`"), "{text}");
}

#[test]
fn a_derivation_is_looked_at() {
    let text = printed(inspect::report);
    // The plastic ratio, and bounds of it.
    assert!(text.contains("t₁ ≈ 1.3247179572447460259"), "{text}");
    let bounds = text.lines().find_map(|line| line.strip_prefix("A knot lies between "));
    let bounds = bounds.expect("bounds").trim_end_matches('.').split(" and ");
    let bounds: Vec<f64> = bounds
        .map(|bound| {
            let (numerator, denominator) = bound.split_once('/').expect("a quotient");
            numerator.parse::<f64>().expect("digits") / denominator.parse::<f64>().expect("digits")
        })
        .collect();
    let (low, high) = (bounds[0], bounds[1]);
    assert!(low < 1.324_717_957 && 1.324_717_957 < high && high - low < 1e-6, "{bounds:?}");
    for part in [
        "E[g(u)] = (γ³ + 3 γ ξ² − γ − 1) erf((γ − t₁)/(√2 ξ))",
        "steps follow from each other",
        "\n    -gamma^3 + gamma + 1\n    gamma^3 - gamma - 1\n",
        "\\frac{\\partial}{\\partial \\gamma}",
        "one function: true",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
}

/// Mean and standard deviation of clamp(u, −1, 1) by Simpson's rule.
fn clamped(gamma: f64, xi: f64) -> [f64; 2] {
    const STEPS: u32 = 400_000;
    let step = 24.0 * xi / f64::from(STEPS);
    let sums = (0..=STEPS).fold([0.0; 3], |[whole, first, second], i| {
        let weight = if i == 0 || i == STEPS { 1.0 } else { f64::from(2 + 2 * (i % 2)) };
        let u = gamma - 12.0 * xi + step * f64::from(i);
        let weight = weight * libm::exp(-((u - gamma) / xi).powi(2) / 2.0);
        let g = u.clamp(-1.0, 1.0);
        [whole + weight, first + weight * g, second + weight * g * g]
    });
    let mean = sums[1] / sums[0];
    [mean, (sums[2] / sums[0] - mean * mean).sqrt()]
}

#[test]
fn a_batch_finds_its_inputs() {
    let text = printed(batch::report);
    let rounds = table(&text, "round");
    assert!(rounds.last().expect("rounds")[1] <= 1e-14, "{text}");
    let rows = table(&text, "∂γ");
    assert_eq!(rows.len(), 8);
    for row in &rows {
        let [gamma, xi, mean, deviation, by_gamma, by_xi2] = row[..] else { panic!("{row:?}") };
        let [wanted_mean, wanted_deviation] = clamped(gamma, xi);
        assert!(
            (mean - wanted_mean).abs() < 1e-3 && (deviation - wanted_deviation).abs() < 1e-3,
            "{row:?}"
        );
        let sum = |gamma: f64, xi2: f64| clamped(gamma, xi2.sqrt()).iter().sum::<f64>();
        let (xi2, h) = (xi * xi, 0.01 * xi);
        let slope = (sum(gamma + h, xi2) - sum(gamma - h, xi2)) / (2.0 * h);
        let h = 0.01 * xi2;
        let growth = (sum(gamma, xi2 + h) - sum(gamma, xi2 - h)) / (2.0 * h);
        assert!((by_gamma / slope - 1.0).abs() < 0.01, "{by_gamma} instead of {slope}");
        assert!((by_xi2 / growth - 1.0).abs() < 0.03, "{by_xi2} instead of {growth}");
    }
}

#[test]
fn an_improvement_far_in_the_tail() {
    let text = printed(expected_improvement::report);
    let rows = table(&text, "E[max(0, u)]  ");
    let wanted = [
        (-1.0, [8.331_547_06e-2, ANY, ANY, -2.485_121_03, 1.904_271_23, 6.708_757_94e-2]),
        (-5.0, [ANY; 6]),
        (-8.0, [7.550_262_41e-17, ANY, ANY, -37.122_364_3, 8.239_396_51, 6.898_451_62e-17]),
        (-12.0, [ANY; 6]),
        (-20.0, [1.370_012_49e-90, ANY, ANY, -206.917_839, 20.099_262_8, 1.120_476_63e-90]),
        (-30.0, [1.631_956_73e-199, ANY, ANY, -457.724_654, 30.066_446_2, 1.208_119_74e-199]),
        (-37.0, [1.545_199_19e-301, ANY, ANY, -692.642_960, 37.053_936_2, 1.066_693_35e-301]),
    ];
    // Of a slope five digits are printed, of a logarithm three or more.
    compare(&rows[..7], &wanted, 3e-3);
    let values = |[mean, .., reward]: [f64; 6]| [mean, ANY, ANY, ANY, ANY, reward];
    compare(&rows[..7], &wanted.map(|(gamma, row)| (gamma, values(row))), 6e-5);
    // The means are subnormal: within a few units of 5e-324.
    let last = [3.680_889e-321, ANY, ANY, -737.826_661, 38.252_249, 2.510_751e-321];
    compare(&rows[7..8], &[(-38.2, last)], 2e-3);
    // The means are 0, but not their logarithms.
    let beyond = [
        (-40.0, [ANY, ANY, ANY, -808.298_568, 40.049_907, ANY]),
        (-60.0, [ANY, ANY, ANY, -1_809.108_46, 60.033_306, ANY]),
    ];
    compare(&rows[8..], &beyond, 2e-5);
    let [with_erfc, with_erf] = [rows[2][2], rows[2][3]];
    assert!(with_erf >= 1.0 && with_erfc < 1e-12, "{text}");

    let rows = table(&text, "improvement   with erf");
    let wanted = [
        (-9.1, [1.0, 4.850_072_19e-21, ANY, 4.398_199_46e-21]),
        (-4.4, [0.5, 3.792_368_30e-20, ANY, 3.165_678_32e-20]),
        (-0.5, [0.055, 2.903_086_68e-22, ANY, 5.262_664_13e-23]),
        (-27.0, [3.0, 3.674_337_54e-20, ANY, 3.172_987_68e-20]),
    ];
    compare(&rows, &wanted, 2e-5);
    assert!(text.contains("The best by the improvement: γ = -4.4, ξ = 0.5"), "{text}");
    assert!(text.contains("The best by the reward: γ = -27, ξ = 3"), "{text}");
}

#[test]
fn a_sensor_that_saturates() {
    let text = printed(saturating_sensor::report);
    let rows = table(&text, "gaussform");
    // γ, the variance, and P(−1 < u < 1), which is the slope of the mean.
    let wanted = [
        (0.0, 0.516_058_551, 0.682_689_492),
        (2.0, 0.066_729_796_0, 0.157_305_356),
        (4.0, 2.030_558_90e-4, 1.349_611_38e-3),
        (6.0, 1.934_254_06e-8, 2.866_502_92e-7),
        (8.0, 4.758_428_41e-14, 1.279_812_43e-12),
        (10.0, 2.628_714_25e-21, 1.128_588_40e-19),
    ];
    let wanted = wanted
        .map(|(gamma, variance, slope)| (gamma, [variance, ANY, ANY, slope * slope / variance]));
    compare(&rows, &wanted, 6e-5);
    assert!(rows[5][2] == 0.0 && rows[5][3] < 1e-31, "{text}");

    // The filter finds the level once readings come below 1.
    let last = text.lines().last().expect("rows").split(" → ").nth(1).expect("the level after it");
    let numbers: Vec<f64> = last.split(" ± ").filter_map(|number| number.parse().ok()).collect();
    let (level, deviation) = (numbers[0], numbers[1]);
    assert!((level - 0.45).abs() < 3.0 * deviation && deviation < 0.02, "{last}");
}

#[test]
fn a_butterfly_and_its_greeks() {
    let text = printed(bachelier::report);
    let rows = table(&text, "as declared");
    let wanted = [
        (10.0, [3.548_848_546_627_043]),
        (1.0, [3.810_988_576_309_703e-2]),
        (0.1, [3.813_849_232_957_373e-4]),
        (0.01, [3.813_877_865_386_173_6e-6]),
        (0.001, [3.813_878_151_713_049_9e-8]),
        (0.0001, [3.813_878_154_576_319e-10]),
    ];
    compare(&rows, &wanted, 4e-15);
    assert!(rows[4][3] > 1e-9 && rows[5][3] > 1e-7, "{text}");

    let rows = table(&text, "delta");
    let wanted = [
        (
            60.0,
            [2.537_715_04e-5, 1.275_266_31e-5, 6.172_127_69e-6, 3.086_063_85e-5, 2.731_463_71e-2],
        ),
        (80.0, [9.322_559_93e-2, 2.980_257_19e-2, 8.696_372_06e-3, 4.348_186_03e-2, 1.954_866_92]),
        (95.0, [4.226_458_10, 0.805_912_628, 0.119_129_616, 0.595_648_082, 13.972_053_7]),
        (105.0, [19.197_881_4, 2.185_014_55, 0.112_782_718, 0.563_913_592, 26.603_027_8]),
        (115.0, [43.299_016_3, 2.260_261_34, -0.101_498_237, -0.507_491_186, 27.273_621_2]),
        (150.0, [63.997_014_3, 1.220_254_84e-3, -4.708_448_44e-4, -2.354_221_56e-3, 0.349_483_386]),
    ];
    let wanted = wanted.map(|(forward, [value, delta, gamma, vega, risk])| {
        (forward, [value, delta, gamma, vega, -delta, risk])
    });
    compare(&rows, &wanted, 6e-3);
}

#[test]
fn a_process_is_a_wide_network() {
    // Sums of hinges, integrated over one of the two pre-activations by Gauss and Legendre's rule between knots.
    let text = printed(gaussian_process::report);
    let rows: Vec<f64> = table(&text, "ln p(y)").iter().map(|row| row[row.len() - 1]).collect();
    let wanted = [-4.180_81, -5.496_02, -7.598_63, -3.027_93];
    assert_eq!(rows.len(), wanted.len(), "{text}");
    for (found, wanted) in rows.iter().zip(wanted) {
        assert!((found - wanted).abs() < 1e-4, "{found}, not {wanted}");
    }
    let wanted = [
        (-2.0, [0.089_347, 0.048_154, 0.080_018]),
        (0.25, [0.606_681, 0.214_592, 0.419_926]),
        (1.0, [0.127_204, 0.048_752, 0.129_982]),
        (2.5, [-0.031_190, 0.247_776, -0.048_153]),
    ];
    let rows = table(&text, "deviation");
    assert_eq!(rows.len(), wanted.len(), "{text}");
    for (row, (x, wanted)) in rows.iter().zip(wanted) {
        let close = |(found, wanted): (&f64, &f64)| (found - wanted).abs() < 2e-6;
        assert!(row[0] == x && row[1..].iter().zip(&wanted).all(close), "{row:?}, not {wanted:?}");
    }
}

#[test]
fn covariances_keep_the_variance_of_a_deep_network() {
    // The sampled networks are the oracle. 2000 of them leave 1.6 %.
    let text = printed(|out| deep_covariances::report(out, &deep_covariances::errors(2000), 2000));
    let rows = table(&text, "independent");
    assert_eq!(rows.len(), 8, "{text}");
    let sum = |column: usize| rows.iter().map(|row| row[column]).sum::<f64>();
    assert!(rows.iter().all(|row| row[1] < 10.0 && row[2] < 10.0), "{text}");
    assert!(sum(3) > 3.0 * sum(1), "{text}");
}

#[test]
fn pictures_show_what_is_computed() {
    let band = gaussian_process::chart().expect("a chart").picture().to_svg();
    assert!(band.contains("<svg") && band.contains("fill-opacity") && band.contains("trained by"));
    assert!(band.matches("<circle").count() >= 14, "{band}");
    let errors = [vec![0.1; 8], vec![1.0; 8], vec![10.0; 8]];
    let lines = deep_covariances::chart(&errors).picture().to_svg();
    assert!(lines.contains("Wu et al.") && lines.matches("-line\" d=\"").count() >= 3, "{lines}");
}
