//! A picture: lines, areas, dots and words at places in pixels, in inks that have a meaning.

/// A place: from the left, from the top.
pub type Position = [f64; 2];

/// The ink of a shape, by its meaning. The colour depends on the medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Words and axes.
    Text,
    /// Text of less importance.
    Muted,
    /// Lines behind the picture.
    Grid,
    /// The subject of the picture.
    Main,
    /// The curve that the subject is compared with.
    Other,
    /// An error.
    Warning,
}

impl Ink {
    /// The class of elements in this ink.
    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Muted => "muted",
            Self::Grid => "grid",
            Self::Main => "main",
            Self::Other => "other",
            Self::Warning => "warning",
        }
    }

    /// The colour on white. The last three inks differ in lightness too.
    pub(crate) fn on_white(self) -> [u8; 3] {
        match self {
            Self::Text => [32, 38, 46],
            Self::Muted => [98, 110, 124],
            Self::Grid => [226, 230, 235],
            Self::Main => [12, 84, 168],
            Self::Other => [204, 96, 0],
            Self::Warning => [176, 16, 48],
        }
    }

    /// The colour on a dark ground.
    pub(crate) fn on_black(self) -> [u8; 3] {
        match self {
            Self::Text => [226, 230, 236],
            Self::Muted => [150, 162, 176],
            Self::Grid => [48, 55, 64],
            Self::Main => [110, 178, 255],
            Self::Other => [255, 166, 77],
            Self::Warning => [255, 110, 130],
        }
    }

    pub(crate) const ALL: [Self; 6] =
        [Self::Text, Self::Muted, Self::Grid, Self::Main, Self::Other, Self::Warning];
}

/// Where a word stands beside its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// One thing that is drawn.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Shape {
    /// A line through points.
    Line { points: Vec<Position>, ink: Ink, width: f64, dashed: bool },
    /// An area; one that is not full is faint.
    Area { points: Vec<Position>, ink: Ink, full: bool },
    /// A dot; one that is not full has the colour of the ground.
    Dot { at: Position, radius: f64, ink: Ink, full: bool },
    /// A word on its baseline; one that is turned reads upwards.
    Word { at: Position, text: String, size: f64, anchor: Anchor, ink: Ink, turned: bool },
}

/// A picture, with a title and a description for those who do not see it.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// The title.
    pub title: String,
    /// A description of the content in words.
    pub description: String,
    pub(crate) shapes: Vec<Shape>,
}

impl Picture {
    pub(crate) fn new(width: f64, height: f64, title: &str, description: String) -> Self {
        Self { width, height, title: title.to_owned(), description, shapes: Vec::new() }
    }

    pub(crate) fn line(&mut self, points: Vec<Position>, ink: Ink, width: f64) {
        self.shapes.push(Shape::Line { points, ink, width, dashed: false });
    }

    pub(crate) fn word(&mut self, at: Position, text: &str, size: f64, anchor: Anchor, ink: Ink) {
        let text = text.to_owned();
        self.shapes.push(Shape::Word { at, text, size, anchor, ink, turned: false });
    }

    /// Pictures side by side, in rows of a given number.
    #[must_use]
    pub fn sheet(pictures: &[Self], columns: usize, title: &str) -> Self {
        let columns = columns.clamp(1, pictures.len().max(1));
        let (mut y, mut width) = (0.0_f64, 0.0_f64);
        let mut shapes = Vec::new();
        for row in pictures.chunks(columns) {
            let (mut x, mut height) = (0.0, 0.0_f64);
            for picture in row {
                shapes.extend(picture.shapes.iter().map(|shape| shape.moved([x, y])));
                x += picture.width;
                height = height.max(picture.height);
            }
            width = width.max(x);
            y += height;
        }
        let parts: Vec<String> =
            pictures.iter().map(|p| format!("{}: {}", p.title, p.description)).collect();
        let description = parts.join(" ");
        Self { width, height: y, title: title.to_owned(), description, shapes }
    }
}

impl Shape {
    fn moved(&self, [dx, dy]: Position) -> Self {
        let place = |[x, y]: &Position| [x + dx, y + dy];
        let mut shape = self.clone();
        match &mut shape {
            Self::Line { points, .. } | Self::Area { points, .. } => {
                *points = points.iter().map(place).collect();
            }
            Self::Dot { at, .. } | Self::Word { at, .. } => *at = place(at),
        }
        shape
    }
}
