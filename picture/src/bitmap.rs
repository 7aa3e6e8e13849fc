//! Pictures as PNG, on white.

use tiny_skia::{
    Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform,
};

use crate::font::Font;
use crate::outline::single;
use crate::picture::{Anchor, Ink, Picture, Position, Shape};

/// Dots of the bitmap to a pixel of the picture.
const SCALE: f32 = 2.0;

impl Picture {
    /// The bytes of a PNG file with two dots to a pixel in each direction.
    ///
    /// # Panics
    ///
    /// Never: pictures have a size, and a bitmap of it can be encoded.
    #[must_use]
    pub fn to_png(&self) -> Vec<u8> {
        let side = |length: f64| {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels")]
            let dots = (single(length) * SCALE).ceil() as u32;
            dots.max(1)
        };
        let mut map = Pixmap::new(side(self.width), side(self.height)).expect("a size");
        map.fill(Color::WHITE);
        let mut canvas = Canvas { map, font: Font::new() };
        for shape in &self.shapes {
            canvas.draw(shape);
        }
        canvas.map.encode_png().expect("a bitmap in memory")
    }
}

struct Canvas {
    map: Pixmap,
    font: Font,
}

fn paint(ink: Ink, alpha: u8) -> Paint<'static> {
    let [red, green, blue] = ink.on_white();
    let mut paint = Paint::default();
    paint.set_color_rgba8(red, green, blue, alpha);
    paint
}

fn path(points: &[Position], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, [x, y]) in points.iter().enumerate() {
        let (x, y) = (single(*x), single(*y));
        if i == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    if closed {
        path.close();
    }
    path.finish()
}

impl Canvas {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { points, ink, width, dashed } => {
                let dash = dashed.then(|| StrokeDash::new(vec![5.0, 4.0], 0.0)).flatten();
                let line_join = LineJoin::Round;
                let width = single(*width);
                let stroke = Stroke { width, dash, line_join, ..Stroke::default() };
                self.stroke(path(points, false), &paint(*ink, 255), &stroke);
            }
            Shape::Area { points, ink, full } => {
                // 46/255 is the opacity of faint areas in an SVG.
                let paint = paint(*ink, if *full { 255 } else { 46 });
                self.fill(path(points, true), &paint, Transform::identity());
            }
            Shape::Dot { at: [x, y], radius, ink, full } => {
                let circle = PathBuilder::from_circle(single(*x), single(*y), single(*radius));
                let mut ground = Paint::default();
                ground.set_color(Color::WHITE);
                let inside = if *full { paint(*ink, 255) } else { ground };
                self.fill(circle.clone(), &inside, Transform::identity());
                let stroke = Stroke { width: 1.5, ..Stroke::default() };
                self.stroke(circle, &paint(*ink, 255), &stroke);
            }
            Shape::Word { at: [x, y], text, size, anchor, ink, turned } => {
                let width = single(self.font.width(text, *size));
                let before = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => width / 2.0,
                    Anchor::End => width,
                };
                let turn = if *turned { -90.0 } else { 0.0 };
                let place = Transform::from_translate(-before, 0.0)
                    .post_concat(Transform::from_rotate(turn))
                    .post_translate(single(*x), single(*y));
                let outline = self.font.outline(text, *size);
                self.fill(outline, &paint(*ink, 255), place);
            }
        }
    }

    fn stroke(&mut self, path: Option<Path>, paint: &Paint<'_>, stroke: &Stroke) {
        if let Some(path) = path {
            let scale = Transform::from_scale(SCALE, SCALE);
            self.map.stroke_path(&path, paint, stroke, scale, None);
        }
    }

    fn fill(&mut self, path: Option<Path>, paint: &Paint<'_>, place: Transform) {
        if let Some(path) = path {
            let place = place.post_scale(SCALE, SCALE);
            self.map.fill_path(&path, paint, FillRule::Winding, place, None);
        }
    }
}
