//! A chart of lines, a band and dots, for examples.

use gaussform_picture::{Axis, Ink, Panel, Picture, Position, Sign};

const INKS: [Ink; 3] = [Ink::Main, Ink::Other, Ink::Text];

/// A name, and points.
pub(crate) type Line = (&'static str, Vec<Position>);

/// A picture of at most three lines, a band between two curves, and dots, over two linear axes.
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    /// Label and ends of the horizontal axis.
    pub(crate) x: (&'static str, [f64; 2]),
    pub(crate) y: (&'static str, [f64; 2]),
    pub(crate) lines: Vec<Line>,
    /// The upper and the lower edge of an area, and a name.
    pub(crate) band: Option<(&'static str, [Vec<Position>; 2])>,
    pub(crate) dots: Vec<Position>,
}

impl Chart {
    pub(crate) fn picture(&self) -> Picture {
        let names: Vec<&str> = self.lines.iter().map(|(name, _)| *name).collect();
        let description = format!("{} against {}: {}.", self.y.0, self.x.0, names.join(", "));
        let axes = [self.x, self.y].map(|(label, [start, end])| Axis::plain(label, start..end));
        let mut panel = Panel::new([760.0, 420.0], self.title, description, axes);
        let mut entries = Vec::new();
        for (i, ((name, points), ink)) in self.lines.iter().zip(INKS).enumerate() {
            // The first one shows behind others that it is equal to.
            panel.curve(points, ink, if i == 0 { 5.0 } else { 2.0 }, false);
            entries.push((Sign::Line, ink, *name));
        }
        if let Some((name, [upper, lower])) = &self.band {
            panel.band(upper, lower, Ink::Main);
            entries.push((Sign::Area, Ink::Main, *name));
        }
        for place in &self.dots {
            panel.dot(*place, Ink::Text, true);
        }
        if !self.dots.is_empty() {
            entries.push((Sign::Dot, Ink::Text, "data"));
        }
        panel.legend(&entries)
    }

    /// Writes it to the file that stands behind `--out` on the command line, if there is one.
    pub(crate) fn write_if_asked(&self) -> Result<(), Box<dyn std::error::Error>> {
        let mut arguments = std::env::args().skip(1);
        match (arguments.next().as_deref(), arguments.next()) {
            (None, _) => Ok(()),
            (Some("--out"), Some(path)) if path.ends_with(".svg") => {
                let picture = self.picture().to_svg();
                std::fs::write(&path, picture).map_err(|e| format!("{path}: {e}").into())
            }
            _ => Err("usage: --out FILE.svg, to draw a picture too".into()),
        }
    }
}
