//! A frame with axes, a title and a legend, into which curves are drawn.

use std::ops::Range;

use super::axis::Axis;
use super::font::Font;
use super::picture::{Anchor, Ink, Picture, Position, Shape};

pub(crate) const WIDTH: f64 = 360.0;
pub(crate) const HEIGHT: f64 = 290.0;

const LEFT: f64 = 70.0;
const RIGHT: f64 = 348.0;
const TOP: f64 = 56.0;
const BOTTOM: f64 = 246.0;

/// The radius of a dot.
const DOT: f64 = 3.2;

/// The numbers along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AxisNumbers {
    /// Numbers.
    Plain,
    /// Powers of ten, by their exponents.
    Powers,
}

/// How an entry of a legend is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Line,
    Dashed,
    Area,
    Mark,
    Dot,
}

/// A picture with a frame.
pub(crate) struct Panel {
    picture: Picture,
    x: Axis,
    y: Axis,
}

impl Panel {
    pub(crate) fn new(
        title: &str,
        description: String,
        labels: [&str; 2],
        ranges: [Range<f64>; 2],
        kinds: [AxisNumbers; 2],
    ) -> Self {
        let mut picture = Picture::new(WIDTH, HEIGHT, title, description);
        let [x, y] = ranges;
        let x = Axis { numbers: x, pixels: LEFT..RIGHT };
        let y = Axis { numbers: y, pixels: BOTTOM..TOP };
        picture.word([LEFT, 22.0], title, 15.0, Anchor::Start, Ink::Text);
        let ticks = |axis: &Axis, kind, every| match kind {
            AxisNumbers::Plain => axis.ticks(6.0),
            AxisNumbers::Powers => axis.powers(every),
        };
        let [columns, rows] = [ticks(&x, kinds[0], 3.0), ticks(&y, kinds[1], 4.0)];
        for (number, label) in &columns {
            let at = x.place(*number);
            picture.line(vec![[at, TOP], [at, BOTTOM]], Ink::Grid, 1.0);
            picture.word([at, BOTTOM + 17.0], label, 12.0, Anchor::Middle, Ink::Muted);
        }
        for (number, label) in &rows {
            let at = y.place(*number);
            picture.line(vec![[LEFT, at], [RIGHT, at]], Ink::Grid, 1.0);
            picture.word([LEFT - 7.0, at + 4.0], label, 12.0, Anchor::End, Ink::Muted);
        }
        // The axes themselves, where they are in sight.
        if kinds == [AxisNumbers::Plain; 2] {
            for zero in [
                [[x.place(0.0), TOP], [x.place(0.0), BOTTOM]],
                [[LEFT, y.place(0.0)], [RIGHT, y.place(0.0)]],
            ] {
                let [[left, top], [right, bottom]] = zero;
                let inside = |at: f64, range: Range<f64>| range.start <= at && at <= range.end;
                if [left, right].iter().all(|at| inside(*at, LEFT..RIGHT))
                    && [top, bottom].iter().all(|at| inside(*at, TOP..BOTTOM))
                {
                    picture.line(zero.to_vec(), Ink::Muted, 1.0);
                }
            }
        }
        let [x_label, y_label] = labels;
        let middle = (LEFT + RIGHT) / 2.0;
        picture.word([middle, BOTTOM + 36.0], x_label, 13.0, Anchor::Middle, Ink::Text);
        picture.shapes.push(Shape::Word {
            at: [18.0, (TOP + BOTTOM) / 2.0],
            text: y_label.to_owned(),
            size: 13.0,
            anchor: Anchor::Middle,
            ink: Ink::Text,
            turned: true,
        });
        Self { picture, x, y }
    }

    fn place(&self, [x, y]: Position) -> Position {
        [self.x.place(x), self.y.place(y)]
    }

    /// A line through points in the numbers of the axes, where it lies in the frame.
    pub(crate) fn curve(&mut self, points: &[Position], ink: Ink, width: f64, dashed: bool) {
        let mut run: Vec<Position> = Vec::new();
        let mut runs = Vec::new();
        for pair in points.windows(2) {
            let ends = [self.place(pair[0]), self.place(pair[1])];
            let Some([from, to]) = clipped(ends) else { continue };
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

    /// The area between two curves over the same numbers.
    pub(crate) fn band(&mut self, upper: &[Position], lower: &[Position], ink: Ink) {
        let all = upper.iter().chain(lower.iter().rev());
        let inside = |[x, y]: Position| [x.clamp(LEFT, RIGHT), y.clamp(TOP, BOTTOM)];
        let points: Vec<Position> = all.map(|point| inside(self.place(*point))).collect();
        if !points.is_empty() {
            self.picture.shapes.push(Shape::Area { points, ink });
        }
    }

    /// A dot, if it lies in the frame.
    pub(crate) fn dot(&mut self, at: Position, ink: Ink, full: bool) {
        let [x, y] = self.place(at);
        if (LEFT..=RIGHT).contains(&x) && (TOP..=BOTTOM).contains(&y) {
            self.picture.shapes.push(Shape::Dot { at: [x, y], radius: DOT, ink, full });
        }
    }

    /// A short stroke at the upper edge.
    pub(crate) fn mark(&mut self, x: f64, ink: Ink) {
        let x = self.x.place(x);
        self.picture.line(vec![[x, TOP], [x, TOP + 7.0]], ink, 1.5);
    }

    /// A dashed line across, with a word above it in the middle, where curves are far from it.
    pub(crate) fn level(&mut self, y: f64, label: &str) {
        let Range { start, end } = self.x.numbers;
        self.curve(&[[start, y], [end, y]], Ink::Muted, 1.0, true);
        let at = [(LEFT + RIGHT) / 2.0, self.y.place(y) - 5.0];
        self.picture.word(at, label, 11.0, Anchor::Middle, Ink::Muted);
    }

    /// The legend in a line below the title: a sign and a label for each curve.
    pub(crate) fn legend(mut self, entries: &[(Sign, Ink, &str)]) -> Picture {
        let font = Font::new();
        let mut x = LEFT;
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
                Sign::Area => Shape::Area { points: corners, ink: *ink },
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
            self.picture.word([to + 5.0, y], label, 12.0, Anchor::Start, Ink::Text);
            x = to + 5.0 + font.width(label, 12.0) + 16.0;
        }
        self.picture
    }
}

/// The part of a straight line that lies in the frame (Liang and Barsky).
fn clipped([from, to]: [Position; 2]) -> Option<[Position; 2]> {
    if ![from, to].iter().flatten().all(|x| x.is_finite()) {
        return None;
    }
    let by = [to[0] - from[0], to[1] - from[1]];
    let (mut start, mut end) = (0.0_f64, 1.0_f64);
    for (step, room) in [
        (-by[0], from[0] - LEFT),
        (by[0], RIGHT - from[0]),
        (-by[1], from[1] - TOP),
        (by[1], BOTTOM - from[1]),
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
        0.0 => from,
        1.0 => to,
        _ => [from[0] + share * by[0], from[1] + share * by[1]],
    };
    (start < end).then(|| [at(start), at(end)])
}
