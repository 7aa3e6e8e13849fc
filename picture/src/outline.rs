//! Words as outlines, for bitmaps.

use tiny_skia::{Path, PathBuilder, Transform};
use ttf_parser::OutlineBuilder;

use crate::font::Font;

impl Font {
    /// The outline of a word that starts at 0 on its baseline.
    pub(crate) fn outline(&self, text: &str, size: f64) -> Option<Path> {
        let mut outline = Outline(PathBuilder::new());
        let mut word = PathBuilder::new();
        let scale = single(size) / f32::from(self.face.units_per_em());
        let mut x = 0.0;
        for letter in text.chars() {
            self.face.outline_glyph(self.glyph(letter), &mut outline);
            let glyph = std::mem::replace(&mut outline.0, PathBuilder::new()).finish();
            // In fonts y points upwards, in pictures downwards.
            let place = Transform::from_row(scale, 0.0, 0.0, -scale, single(x), 0.0);
            if let Some(path) = glyph.and_then(|path| path.transform(place)) {
                word.push_path(&path);
            }
            x += size * self.advance(letter);
        }
        word.finish()
    }
}

#[allow(clippy::cast_possible_truncation, reason = "pixels")]
pub(crate) fn single(value: f64) -> f32 {
    value as f32
}

struct Outline(PathBuilder);

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.0.close();
    }
}

#[cfg(test)]
mod tests {
    use crate::font::{Font, letters};

    #[test]
    fn every_letter_has_an_outline() {
        let font = Font::new();
        for letter in letters() {
            assert!(font.outline(&letter.to_string(), 12.0).is_some(), "{letter}");
        }
        assert!(font.outline(" ", 12.0).is_none());
    }
}
