//! The picture of calibration as SVG: the observed fraction of rows against the promised probability.

use std::error::Error;

use gaussform_bnn::CalibrationPoint;
use plotters::prelude::*;

const INK: RGBColor = RGBColor(38, 50, 56);
const FAINT: RGBColor = RGBColor(236, 239, 241);
const MUTED: RGBColor = RGBColor(144, 164, 174);
const BLUE: RGBColor = RGBColor(66, 133, 180);

/// The picture as SVG.
pub(crate) fn calibration(
    points: &[CalibrationPoint],
    [x, y]: [&str; 2],
) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, (520, 520)).into_drawing_area();
        root.fill(&WHITE)?;
        let font = |size: u32| ("sans-serif", size).into_font().color(&INK);
        let mut chart = ChartBuilder::on(&root)
            .caption("Calibration", font(20))
            .margin(18)
            .x_label_area_size(50)
            .y_label_area_size(60)
            .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(FAINT)
            .axis_style(MUTED)
            .axis_desc_style(font(16))
            .label_style(font(14))
            .x_desc(x)
            .y_desc(y)
            .draw()?;
        chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], MUTED.stroke_width(1)))?;
        let line = points.iter().map(|p| (p.promised, p.observed));
        chart.draw_series(LineSeries::new(line.clone(), BLUE.stroke_width(2)))?;
        chart.draw_series(line.map(|at| Circle::new(at, 4, BLUE.filled())))?;
        root.present()?;
    }
    Ok(svg)
}
