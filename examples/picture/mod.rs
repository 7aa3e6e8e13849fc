//! A chart of lines, a band and dots, for examples.

use plotters::prelude::*;

const COLORS: [RGBColor; 4] =
    [RGBColor(30, 90, 160), RGBColor(200, 90, 30), RGBColor(60, 140, 80), RGBColor(120, 120, 120)];

/// A name, and points.
pub(crate) type Line = (&'static str, Vec<(f64, f64)>);

/// A picture of lines, a band between two of them, and dots, over two linear axes.
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    /// Label and ends of the horizontal axis.
    pub(crate) x: (&'static str, [f64; 2]),
    pub(crate) y: (&'static str, [f64; 2]),
    pub(crate) lines: Vec<Line>,
    /// Corners of an area, one after another.
    pub(crate) band: Vec<(f64, f64)>,
    pub(crate) dots: Vec<(f64, f64)>,
}

impl Chart {
    /// The picture as SVG.
    pub(crate) fn svg(&self) -> Result<String, Box<dyn std::error::Error>> {
        let mut text = String::new();
        {
            let root = SVGBackend::with_string(&mut text, (760, 420)).into_drawing_area();
            root.fill(&WHITE)?;
            let ([left, right], [bottom, top]) = (self.x.1, self.y.1);
            let mut chart = ChartBuilder::on(&root)
                .caption(self.title, ("sans-serif", 18))
                .margin(12)
                .x_label_area_size(40)
                .y_label_area_size(60)
                .build_cartesian_2d(left..right, bottom..top)?;
            chart
                .configure_mesh()
                .light_line_style(WHITE)
                .x_desc(self.x.0)
                .y_desc(self.y.0)
                .draw()?;
            let shade = COLORS[0].mix(0.15);
            chart.draw_series(std::iter::once(Polygon::new(self.band.clone(), shade.filled())))?;
            for (i, ((name, points), color)) in self.lines.iter().zip(COLORS).enumerate() {
                // The first one shows behind others that it is equal to.
                let color = color.stroke_width(if i == 0 { 5 } else { 2 });
                chart
                    .draw_series(LineSeries::new(points.iter().copied(), color))?
                    .label(*name)
                    .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], color));
            }
            let dot = |place: &(f64, f64)| Circle::new(*place, 4, BLACK.filled());
            chart.draw_series(self.dots.iter().map(dot))?;
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperLeft)
                .background_style(WHITE.mix(0.8))
                .draw()?;
            root.present()?;
        }
        Ok(text)
    }

    /// Writes it to the file that stands behind `--out` on the command line, if there is one.
    pub(crate) fn write_if_asked(&self) -> Result<(), Box<dyn std::error::Error>> {
        let mut arguments = std::env::args().skip(1);
        match (arguments.next().as_deref(), arguments.next()) {
            (None, _) => Ok(()),
            (Some("--out"), Some(path)) if path.ends_with(".svg") => {
                std::fs::write(&path, self.svg()?).map_err(|e| format!("{path}: {e}").into())
            }
            _ => Err("usage: --out FILE.svg, to draw a picture too".into()),
        }
    }
}
