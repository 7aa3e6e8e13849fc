//! Pictures as SVG: light or dark, as the reader's system is.

use std::fmt::Write;

use crate::picture::{Anchor, Ink, Picture, Shape};

/// The fonts of the words in pages and pictures.
pub const FONT: &str = "system-ui, 'DejaVu Sans', sans-serif";

impl Picture {
    /// A file of its own.
    #[must_use]
    pub fn to_svg(&self) -> String {
        let style = format!("<style>@media (prefers-color-scheme: dark) {{{}}}</style>", dark());
        let ground = "<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>";
        self.element("picture", &format!("{style}\n{ground}\n")) + "\n"
    }

    /// An element of a page that has the [`dark`] rules; `id` is unique on it.
    #[must_use]
    pub fn to_element(&self, id: &str) -> String {
        self.element(id, "")
    }

    fn element(&self, id: &str, before: &str) -> String {
        let Self { width, height, title, description, shapes } = self;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
             width=\"{width}\" height=\"{height}\" role=\"img\" \
             aria-labelledby=\"{id}-title {id}-desc\" font-family=\"{FONT}\">\n\
             <title id=\"{id}-title\">{}</title>\n<desc id=\"{id}-desc\">{}</desc>\n{before}",
            escaped(title),
            escaped(description)
        );
        for shape in shapes {
            svg.push_str(&element(shape));
            svg.push('\n');
        }
        svg + "</svg>"
    }
}

/// The style rules of a dark ground.
#[must_use]
pub fn dark() -> String {
    let mut rules = ".paper{fill:#14181d}.hollow{fill:#14181d}".to_owned();
    for ink in Ink::ALL {
        let (class, colour) = (ink.class(), colour(ink.on_black()));
        let _ = write!(rules, ".{class}-line{{stroke:{colour}}}.{class}-fill{{fill:{colour}}}");
    }
    rules
}

fn colour([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn element(shape: &Shape) -> String {
    match shape {
        Shape::Line { points, ink, width, dashed } => {
            let dashes = if *dashed { " stroke-dasharray=\"5 4\"" } else { "" };
            format!(
                "<path class=\"{}-line\" d=\"{}\" fill=\"none\" stroke=\"{}\" \
                 stroke-width=\"{width}\" stroke-linejoin=\"round\"{dashes}/>",
                ink.class(),
                path(points),
                colour(ink.on_white())
            )
        }
        Shape::Area { points, ink, full } => {
            let opacity = if *full { "" } else { " fill-opacity=\"0.18\"" };
            format!(
                "<path class=\"{}-fill\" d=\"{}Z\" fill=\"{}\"{opacity}/>",
                ink.class(),
                path(points),
                colour(ink.on_white())
            )
        }
        Shape::Dot { at: [x, y], radius, ink, full } => {
            let (class, ink) = (ink.class(), colour(ink.on_white()));
            let (x, y) = (number(*x), number(*y));
            let (fill, ground) = if *full {
                (format!("{class}-fill"), ink.as_str())
            } else {
                ("hollow".to_owned(), "#ffffff")
            };
            format!(
                "<circle class=\"{class}-line {fill}\" cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" \
                 fill=\"{ground}\" stroke=\"{ink}\" stroke-width=\"1.5\"/>"
            )
        }
        Shape::Word { at: [x, y], text, size, anchor, ink, turned } => {
            let anchor = match anchor {
                Anchor::Start => "start",
                Anchor::Middle => "middle",
                Anchor::End => "end",
            };
            let (x, y) = (number(*x), number(*y));
            let turn =
                if *turned { format!(" transform=\"rotate(-90 {x} {y})\"") } else { String::new() };
            format!(
                "<text class=\"{}-fill\" x=\"{x}\" y=\"{y}\" font-size=\"{size}\" \
                 text-anchor=\"{anchor}\" fill=\"{}\"{turn}>{}</text>",
                ink.class(),
                colour(ink.on_white()),
                escaped(text)
            )
        }
    }
}

fn path(points: &[[f64; 2]]) -> String {
    let mut path = String::new();
    for (i, [x, y]) in points.iter().enumerate() {
        let command = if i == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{command}{} {}", number(*x), number(*y));
    }
    path
}

/// Hundredths of a pixel are enough.
fn number(value: f64) -> String {
    let digits = format!("{value:.2}");
    let digits = digits.trim_end_matches('0').trim_end_matches('.');
    if digits == "-0" { "0".to_owned() } else { digits.to_owned() }
}

/// A text in which no character is markup.
#[must_use]
pub fn escaped(text: &str) -> String {
    // The sign & goes first, as the other replacements bring it in. Quotes stay: the text stands
    // between tags.
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
