//! The largest errors of all activations, as bars.

use gaussform_accuracy::oracle::Oracle;
use gaussform_accuracy::registry;
use gaussform_codegen::ACCURACY;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Failure;
use super::chart::{Area, DOUBLE, FAINT, INK, MUTED, SINGLE, font, legend, power};
use crate::table::{largest, text};

/// The height of an activation's bars.
const ROW: i32 = 22;
/// Where rows start.
const TOP: i32 = 48;
/// Widths in pixels: of names, of a panel, of its bars.
const NAMES: i32 = 230;
const PANEL: i32 = 470;
const BARS: i32 = 400;
/// Logarithms of the errors between the ends of the bars.
const FROM: f64 = -1.0;
const TO: f64 = 4.0;

/// The quantities of each panel.
const PANELS: [(&str, std::ops::Range<usize>); 2] =
    [("mean, second moment, variance", 0..3), ("their derivatives in γ and ξ²", 3..7)];

#[allow(clippy::cast_possible_truncation, reason = "pixels")]
fn place(error: f64) -> i32 {
    let share = (error.log10().clamp(FROM, TO) - FROM) / (TO - FROM);
    (share * f64::from(BARS)).round() as i32
}

/// The largest error of each activation over the sweep, away from the ends of the range.
pub(super) fn largest_errors(oracle: &Oracle) -> Result<String, Failure> {
    let rows: Vec<(String, [[f64; 7]; 2])> = registry::all()
        .iter()
        .map(|entry| {
            let double = largest::<f64>(oracle, entry).ordinary;
            (entry.function.name.clone(), [double, largest::<f32>(oracle, entry).ordinary])
        })
        .collect();
    let bottom = TOP + ROW * i32::try_from(rows.len())?;
    let size = (u32::try_from(NAMES + 2 * PANEL + 10)?, u32::try_from(bottom + 86)?);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        root.fill(&WHITE)?;
        let mut left = NAMES;
        for (title, quantities) in PANELS {
            axis(&root, left, bottom, title)?;
            for (y, (_, errors)) in (TOP..).step_by(ROW as usize).zip(&rows) {
                for (errors, colour, y) in
                    [(&errors[0], DOUBLE, y + 2), (&errors[1], SINGLE, y + 11)]
                {
                    let error = errors[quantities.clone()].iter().copied().fold(0.0, f64::max);
                    bar(&root, left, y, error, colour)?;
                }
            }
            left += PANEL;
        }
        let style = font(14).pos(Pos::new(HPos::Right, VPos::Center));
        for (y, (name, _)) in (TOP..).step_by(ROW as usize).zip(&rows) {
            root.draw(&Text::new(name.as_str(), (NAMES - 10, y + ROW / 2), style.clone()))?;
        }
        let entries = [(NAMES, DOUBLE, "f64"), (NAMES + 100, SINGLE, "f32 (ulp of f32)")];
        legend(&root, bottom + 66, &entries)?;
        root.present()?;
    }
    Ok(svg)
}

fn axis(root: &Area<'_>, left: i32, bottom: i32, title: &str) -> Result<(), Failure> {
    let centred = Pos::new(HPos::Center, VPos::Center);
    let mut exponent = FROM;
    while exponent <= TO {
        let x = left + place(libm::pow(10.0, exponent));
        root.draw(&PathElement::new(vec![(x, TOP), (x, bottom)], FAINT.stroke_width(1)))?;
        root.draw(&Text::new(power(&exponent), (x, bottom + 14), font(14).pos(centred)))?;
        exponent += 1.0;
    }
    root.draw(&PathElement::new(vec![(left, TOP), (left, bottom)], MUTED.stroke_width(1)))?;
    let limit = left + place(ACCURACY);
    let mut y = TOP;
    while y < bottom {
        root.draw(&PathElement::new(vec![(limit, y), (limit, y + 5)], INK.stroke_width(1)))?;
        y += 9;
    }
    root.draw(&Text::new("32 ulp", (limit, TOP - 8), font(13).pos(centred)))?;
    let middle = left + BARS / 2;
    root.draw(&Text::new(title, (middle, 18), font(18).pos(centred)))?;
    root.draw(&Text::new("largest error, ulp", (middle, bottom + 36), font(15).pos(centred)))?;
    Ok(())
}

fn bar(root: &Area<'_>, left: i32, y: i32, error: f64, colour: RGBColor) -> Result<(), Failure> {
    let end = left + place(error);
    root.draw(&Rectangle::new([(left, y), (end, y + 8)], colour.filled()))?;
    let label = text(error);
    // Nothing shines through the digits.
    let width = 6 * i32::try_from(label.len())?;
    let ground = [(end + 3, y), (end + 4 + width, y + 8)];
    root.draw(&Rectangle::new(ground, WHITE.filled()))?;
    let style = font(11).pos(Pos::new(HPos::Left, VPos::Center));
    root.draw(&Text::new(label, (end + 4, y + 4), style))?;
    Ok(())
}
