//! A frame with axes, a title and a legend, into which curves are drawn.

use std::ops::Range;

use crate::axis::{Axis, Scale};
use crate::font::Font;
use crate::picture::{Anchor, Ink, Picture, Position, Shape};

/// Width and height of a panel that stands beside others.
pub const SIZE: [f64; 2] = [360.0, 290.0];

/// The frame's distances from the edges of the picture.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 44.0;

/// The room of a round number along each axis: about six of them in the usual size.
const WIDE: f64 = (SIZE[0] - LEFT - RIGHT) / 6.0;
const HIGH: f64 = (SIZE[1] - TOP - BOTTOM) / 6.0;

/// The radius of a dot.
const DOT: f64 = 3.2;

/// The size of numbers and names, and their distance from the frame.
const NUMBERS: f64 = 12.0;
const GAP: f64 = 7.0;

/// The size of words in the frame.
const WORDS: f64 = 11.0;

/// How an entry of a legend is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// A line.
    Line,
    /// A dashed line.
    Dashed,
    /// A faint area.
    Area,
    /// A bar.
    Bar,
    /// A short stroke.
    Mark,
    /// A dot.
    Dot,
}

/// A picture with a frame.
#[derive(Clone, Debug)]
pub struct Panel {
    picture: Picture,
    x: Scale,
    y: Scale,
}

impl Panel {
    /// An empty frame with the axes of x and y, in a picture of a width and a height.
    #[must_use]
    pub fn new(
        [width, height]: [f64; 2],
        title: &str,
        description: String,
        [x_axis, y_axis]: [Axis; 2],
    ) -> Self {
        let picture = Picture::new(width, height, title, description);
        let mut rows = y_axis.range.clone();
        let mut from = LEFT;
        if let Some(names) = y_axis.named() {
            // Names are read from the top.
            rows = rows.end..rows.start;
            let font = Font::new();
            let widest = names.iter().map(|name| font.width(name, NUMBERS)).fold(0.0, f64::max);
            from = widest + 2.0 * GAP;
        }
        let x = Scale { numbers: x_axis.range.clone(), pixels: from..width - RIGHT };
        let y = Scale { numbers: rows, pixels: height - BOTTOM..TOP };
        let mut panel = Self { picture, x, y };
        panel.picture.word([from, 22.0], title, 15.0, Anchor::Start, Ink::Text);
        panel.numbers(&x_axis, &y_axis);
        // The axes themselves, where they are in sight.
        if x_axis.is_plain() && y_axis.is_plain() {
            panel.axes();
        }
        let [left, right, top, bottom] = panel.sides();
        let (middle, below) = ((left + right) / 2.0, bottom + 36.0);
        panel.picture.word([middle, below], &x_axis.label, 13.0, Anchor::Middle, Ink::Text);
        if !y_axis.label.is_empty() {
            panel.picture.shapes.push(Shape::Word {
                at: [18.0, (top + bottom) / 2.0],
                text: y_axis.label,
                size: 13.0,
                anchor: Anchor::Middle,
                ink: Ink::Text,
                turned: true,
            });
        }
        panel
    }

    /// The left, right, upper and lower side of the frame.
    fn sides(&self) -> [f64; 4] {
        let (x, y) = (&self.x.pixels, &self.y.pixels);
        [x.start, x.end, y.end, y.start]
    }

    /// Lines at round numbers, and these numbers.
    fn numbers(&mut self, x: &Axis, y: &Axis) {
        let [left, right, top, bottom] = self.sides();
        let columns = x.ticks(self.x.length() / WIDE);
        let rows = y.ticks(self.y.length() / HIGH);
        for (number, label) in &columns {
            let at = self.x.place(*number);
            self.picture.line(vec![[at, top], [at, bottom]], Ink::Grid, 1.0);
            self.picture.word([at, bottom + 17.0], label, NUMBERS, Anchor::Middle, Ink::Muted);
        }
        for (number, label) in &rows {
            let at = self.y.place(*number);
            self.picture.line(vec![[left, at], [right, at]], Ink::Grid, 1.0);
            self.picture.word([left - GAP, at + 4.0], label, NUMBERS, Anchor::End, Ink::Muted);
        }
    }

    /// The lines x = 0 and y = 0, if they are in the frame.
    fn axes(&mut self) {
        let [left, right, top, bottom] = self.sides();
        let [x, y] = self.place([0.0, 0.0]);
        if (left..=right).contains(&x) {
            self.picture.line(vec![[x, top], [x, bottom]], Ink::Muted, 1.0);
        }
        if (top..=bottom).contains(&y) {
            self.picture.line(vec![[left, y], [right, y]], Ink::Muted, 1.0);
        }
    }

    fn place(&self, [x, y]: Position) -> Position {
        [self.x.place(x), self.y.place(y)]
    }

    /// A line through points in the numbers of the axes, where it lies in the frame.
    pub fn curve(&mut self, points: &[Position], ink: Ink, width: f64, dashed: bool) {
        let mut run: Vec<Position> = Vec::new();
        let mut runs = Vec::new();
        for pair in points.windows(2) {
            let ends = [self.place(pair[0]), self.place(pair[1])];
            let Some([from, to]) = clipped(ends, self.sides()) else { continue };
            if run.last() != Some(&from) {
                runs.push(std::mem::take(&mut run));
                run.push(from);
            }
            run.push(to);
        }
        runs.push(run);
        for points in runs.into_iter().filter(|run| run.len() > 1) {
            self.picture.shapes.push(Shape::Line { points, ink, width, dashed });
        }
    }

    /// The area between two curves over the same numbers, without points that are no numbers.
    pub fn band(&mut self, upper: &[Position], lower: &[Position], ink: Ink) {
        let all = upper.iter().chain(lower.iter().rev());
        let [left, right, top, bottom] = self.sides();
        let inside = |[x, y]: Position| [x.clamp(left, right), y.clamp(top, bottom)];
        let places = all.map(|point| inside(self.place(*point)));
        let points: Vec<Position> = places.filter(|[x, y]| !x.is_nan() && !y.is_nan()).collect();
        if !points.is_empty() {
            self.picture.shapes.push(Shape::Area { points, ink, full: false });
        }
    }

    /// A bar between two opposite corners, where it lies in the frame.
    pub fn bar(&mut self, corners: [Position; 2], ink: Ink) {
        let [left, right, top, bottom] = self.sides();
        let inside = |[x, y]: Position| [x.clamp(left, right), y.clamp(top, bottom)];
        let [[x, y], [x_end, y_end]] = corners.map(|corner| inside(self.place(corner)));
        let points = vec![[x, y], [x_end, y], [x_end, y_end], [x, y_end]];
        self.picture.shapes.push(Shape::Area { points, ink, full: true });
    }

    /// A small word to the right of a place, from the middle of its height.
    pub fn note(&mut self, at: Position, text: &str) {
        let [x, y] = self.place(at);
        let [left, right, top, bottom] = self.sides();
        let at = [x.clamp(left, right) + 4.0, y.clamp(top, bottom) + 4.0];
        self.picture.word(at, text, WORDS, Anchor::Start, Ink::Text);
    }

    /// A dot, if it lies in the frame.
    pub fn dot(&mut self, at: Position, ink: Ink, full: bool) {
        let [left, right, top, bottom] = self.sides();
        let [x, y] = self.place(at);
        if (left..=right).contains(&x) && (top..=bottom).contains(&y) {
            self.picture.shapes.push(Shape::Dot { at: [x, y], radius: DOT, ink, full });
        }
    }

    /// A short stroke at the upper edge.
    pub fn mark(&mut self, x: f64, ink: Ink) {
        let x = self.x.place(x);
        self.picture.line(vec![[x, TOP], [x, TOP + 7.0]], ink, 1.5);
    }

    /// A dashed line across, with a word above it at a share of its length, where curves are far from it.
    pub fn level(&mut self, y: f64, label: &str, share: f64) {
        let Range { start, end } = self.x.numbers;
        self.curve(&[[start, y], [end, y]], Ink::Muted, 1.0, true);
        let Range { start, end } = self.x.pixels;
        let at = [start + share * (end - start), self.y.place(y) - 5.0];
        self.picture.word(at, label, WORDS, Anchor::Middle, Ink::Muted);
    }

    /// A dashed line upwards, with a word to the right of its upper end.
    pub fn border(&mut self, x: f64, label: &str) {
        let Range { start, end } = self.y.numbers;
        self.curve(&[[x, start], [x, end]], Ink::Muted, 1.0, true);
        let at = [self.x.place(x) + 4.0, TOP + 12.0];
        self.picture.word(at, label, WORDS, Anchor::Start, Ink::Muted);
    }

    /// The legend in a line below the title: a sign and a label for each curve.
    #[must_use]
    pub fn legend(mut self, entries: &[(Sign, Ink, &str)]) -> Picture {
        let font = Font::new();
        let mut x = self.x.pixels.start;
        for (sign, ink, label) in entries {
            let (from, to, y) = (x, x + 18.0, 41.0);
            let line = |width, dashed| Shape::Line {
                points: vec![[from, y - 4.0], [to, y - 4.0]],
                ink: *ink,
                width,
                dashed,
            };
            let corners = vec![[from, y - 9.0], [to, y - 9.0], [to, y + 1.0], [from, y + 1.0]];
            self.picture.shapes.push(match sign {
                Sign::Line => line(2.0, false),
                Sign::Dashed => line(1.5, true),
                Sign::Area => Shape::Area { points: corners, ink: *ink, full: false },
                Sign::Bar => Shape::Area { points: corners, ink: *ink, full: true },
                Sign::Dot => {
                    Shape::Dot { at: [from + 12.0, y - 4.0], radius: DOT, ink: *ink, full: true }
                }
                Sign::Mark => Shape::Line {
                    points: vec![[from + 12.0, y - 8.0], [from + 12.0, y]],
                    ink: *ink,
                    width: 1.5,
                    dashed: false,
                },
            });
            self.picture.word([to + 5.0, y], label, NUMBERS, Anchor::Start, Ink::Text);
            x = to + 5.0 + font.width(label, NUMBERS) + 16.0;
        }
        self.picture
    }
}

/// The part of a straight line that lies in the frame (Liang and Barsky).
fn clipped(
    [from, to]: [Position; 2],
    [left, right, top, bottom]: [f64; 4],
) -> Option<[Position; 2]> {
    if ![from, to].iter().flatten().all(|x| x.is_finite()) {
        return None;
    }
    let by = [to[0] - from[0], to[1] - from[1]];
    let (mut start, mut end) = (0.0_f64, 1.0_f64);
    for (step, room) in [
        (-by[0], from[0] - left),
        (by[0], right - from[0]),
        (-by[1], from[1] - top),
        (by[1], bottom - from[1]),
    ] {
        if step == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if step < 0.0 {
            start = start.max(room / step);
        } else {
            end = end.min(room / step);
        }
    }
    let at = |share: f64| match share {
        // The points themselves, not rounded, so that `curve` sees that two parts meet.
        0.0 => from,
        1.0 => to,
        _ => [from[0] + share * by[0], from[1] + share * by[1]],
    };
    (start < end).then(|| [at(start), at(end)])
}
