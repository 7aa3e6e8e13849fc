//! A picture of calibration: fractions that were observed, against probabilities that were promised.

use crate::axis::Axis;
use crate::panel::{Panel, Sign};
use crate::picture::{Ink, Picture, Position};

const SIZE: [f64; 2] = [480.0, 500.0];

/// A point for each probability, with the fraction that was observed, beside the diagonal where both are equal.
#[must_use]
pub fn calibration(title: &str, labels: [&str; 2], points: &[Position]) -> Picture {
    let farthest = points.iter().map(|[promised, observed]| (observed - promised).abs());
    let description = format!(
        "The {} against the {}, at {} points: at most {:.3} from the diagonal.",
        labels[1],
        labels[0],
        points.len(),
        farthest.fold(0.0, f64::max)
    );
    let axes = labels.map(|label| Axis::plain(label, 0.0..1.0));
    let mut panel = Panel::new(SIZE, title, description, axes);
    panel.curve(&[[0.0, 0.0], [1.0, 1.0]], Ink::Muted, 1.2, true);
    panel.curve(points, Ink::Main, 2.0, false);
    for point in points {
        panel.dot(*point, Ink::Main, true);
    }
    panel.legend(&[(Sign::Dot, Ink::Main, "observed"), (Sign::Dashed, Ink::Muted, "calibrated")])
}
