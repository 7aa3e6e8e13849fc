//! Gauss–Legendre rules on [0, 1]: 18 nodes in f64, 10 in f32.
//!
//! Zeros x of the Legendre polynomial P_n and weights 2/((1 − x²) P_n′(x)²), computed to 60
//! digits, mapped from [−1, 1] and rounded once. A rule is symmetric: each entry stands for
//! two nodes, `near` and `far` = 1 − `near`.

/// Two nodes that mirror each other, and the weight of each.
#[derive(Clone, Copy, Debug)]
pub struct Node<T> {
    /// The node in [0, ½].
    pub near: T,
    /// The node in [½, 1].
    pub far: T,
    /// The weight; those of a whole rule sum to 1.
    pub weight: T,
}

/// 18 nodes.
pub(crate) const F64: [Node<f64>; 9] = [
    Node {
        near: 0.004_217_415_789_534_527,
        far: 0.995_782_584_210_465_5,
        weight: 0.010_808_006_763_241_656,
    },
    Node {
        near: 0.022_088_025_214_301_123,
        far: 0.977_911_974_785_698_9,
        weight: 0.024_857_274_447_484_9,
    },
    Node {
        near: 0.053_698_766_751_222_13,
        far: 0.946_301_233_248_777_9,
        weight: 0.038_212_865_127_444_526,
    },
    Node {
        near: 0.098_147_520_513_738_44,
        far: 0.901_852_479_486_261_6,
        weight: 0.050_471_022_053_143_584,
    },
    Node {
        near: 0.154_156_478_469_823_4,
        far: 0.845_843_521_530_176_6,
        weight: 0.061_277_603_355_739_23,
    },
    Node {
        near: 0.220_114_584_463_026_23,
        far: 0.779_885_415_536_973_8,
        weight: 0.070_321_457_335_325_33,
    },
    Node {
        near: 0.294_124_419_268_578_7,
        far: 0.705_875_580_731_421_3,
        weight: 0.077_342_337_563_132_62,
    },
    Node {
        near: 0.374_056_887_154_247_23,
        far: 0.625_943_112_845_752_8,
        weight: 0.082_138_241_872_916_36,
    },
    Node {
        near: 0.457_612_493_479_132_35,
        far: 0.542_387_506_520_867_6,
        weight: 0.084_571_191_481_571_8,
    },
];

/// 10 nodes.
pub(crate) const F32: [Node<f32>; 5] = [
    Node { near: 0.013_046_736, far: 0.986_953_26, weight: 0.033_335_67 },
    Node { near: 0.067_468_315, far: 0.932_531_65, weight: 0.074_725_67 },
    Node { near: 0.160_295_22, far: 0.839_704_8, weight: 0.109_543_18 },
    Node { near: 0.283_302_3, far: 0.716_697_7, weight: 0.134_633_36 },
    Node { near: 0.425_562_83, far: 0.574_437_14, weight: 0.147_762_12 },
];
