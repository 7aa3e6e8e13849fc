//! Common parts of the pictures: colours, fonts, a legend, and a panel with the logarithm of errors over some number.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::Failure;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
pub(super) type Panel<'a, 'b> =
    ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

// The four differ in lightness too: 17, 30, 55 and 72 of 100.
pub(super) const DOUBLE: RGBColor = RGBColor(12, 44, 96);
pub(super) const SINGLE: RGBColor = RGBColor(32, 148, 160);
pub(super) const TEXTBOOK: RGBColor = RGBColor(240, 160, 60);
pub(super) const NEGATIVE: RGBColor = RGBColor(150, 20, 40);

pub(super) const INK: RGBColor = RGBColor(38, 50, 56);
pub(super) const FAINT: RGBColor = RGBColor(232, 236, 239);
pub(super) const MUTED: RGBColor = RGBColor(120, 135, 145);

/// Text in the colour of the ink.
pub(super) fn font(size: u32) -> TextStyle<'static> {
    ("sans-serif", size).into_font().color(&INK)
}

/// An empty panel; errors are given by their logarithm to base 10.
pub(super) fn panel<'a, 'b: 'a>(
    area: &'a Area<'b>,
    title: &str,
    x_label: &str,
    x: Range<f64>,
    errors: Range<f64>,
) -> Result<Panel<'a, 'b>, Failure> {
    // One label for each power of ten, or for every other one.
    let labels = if errors.end - errors.start > 10.0 { 11 } else { 6 };
    let mut panel = ChartBuilder::on(area)
        .caption(title, font(19))
        .margin(12)
        .margin_right(20)
        .x_label_area_size(46)
        .y_label_area_size(64)
        .build_cartesian_2d(x, errors)?;
    panel
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(FAINT)
        .axis_style(MUTED)
        .axis_desc_style(font(15))
        .label_style(font(14))
        .x_desc(x_label)
        .y_desc("error, ulp")
        .y_labels(labels)
        .x_label_formatter(&number)
        .y_label_formatter(&power)
        .draw()?;
    Ok(panel)
}

/// A number without needless digits, with a minus sign.
pub(super) fn number(value: &f64) -> String {
    let digits = format!("{value:.2}");
    digits.trim_end_matches('0').trim_end_matches('.').replace('-', "−")
}

/// 10 to an integer; nothing for other exponents.
pub(super) fn power(exponent: &f64) -> String {
    if (exponent - exponent.round()).abs() > 1e-6 {
        return String::new();
    }
    let digits = format!("{exponent:.0}");
    let raised = digits.chars().map(|c| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32('⁰' as u32 + (digit as u32 - '0' as u32)).unwrap_or(digit),
    });
    format!("10{}", raised.collect::<String>())
}

/// A horizontal line across a panel with a word to it, above a share of its length.
pub(super) fn level(
    panel: &mut Panel<'_, '_>,
    x: &Range<f64>,
    error: f64,
    label: &str,
    share: f64,
) -> Result<(), Failure> {
    let y = error.log10();
    let ends = [(x.start, y), (x.end, y)];
    panel.draw_series(DashedLineSeries::new(ends, 5, 4, INK.stroke_width(1)))?;
    let at = x.start + share * (x.end - x.start);
    let style = font(13).pos(Pos::new(HPos::Center, VPos::Bottom));
    panel.draw_series([Text::new(label.to_owned(), (at, y), style)])?;
    Ok(())
}

/// Colours and what they stand for, in one line.
pub(super) fn legend(
    area: &Area<'_>,
    y: i32,
    entries: &[(i32, RGBColor, &str)],
) -> Result<(), Failure> {
    let left = Pos::new(HPos::Left, VPos::Center);
    for (x, colour, label) in entries {
        area.draw(&Rectangle::new([(*x, y - 4), (x + 22, y + 4)], colour.filled()))?;
        area.draw(&Text::new(*label, (x + 30, y), font(15).pos(left)))?;
    }
    Ok(())
}
