//! The letters of bitmaps and the widths of words: a part of DejaVu Sans that comes with the crate, so
//! that pictures are the same on machines without fonts.

use ttf_parser::{Face, GlyphId};

const FILE: &[u8] = include_bytes!("../font/DejaVuSans.subset.ttf");

/// The font.
pub(crate) struct Font {
    pub(crate) face: Face<'static>,
}

impl Font {
    pub(crate) fn new() -> Self {
        Self { face: Face::parse(FILE, 0).expect("the font that comes with the crate") }
    }

    pub(crate) fn glyph(&self, letter: char) -> GlyphId {
        self.face.glyph_index(letter).unwrap_or_default()
    }

    pub(crate) fn advance(&self, letter: char) -> f64 {
        let advance = self.face.glyph_hor_advance(self.glyph(letter));
        f64::from(advance.unwrap_or(0)) / f64::from(self.face.units_per_em())
    }

    /// The width of a word in pixels.
    pub(crate) fn width(&self, text: &str, size: f64) -> f64 {
        size * text.chars().map(|letter| self.advance(letter)).sum::<f64>()
    }
}

/// The letters that pictures have.
#[cfg(test)]
pub(crate) fn letters() -> impl Iterator<Item = char> {
    let signs = "±√²³−…′/()[]|=,.+~ξγσαβδεηκλμνωρτθ⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉π∞";
    ('!'..='~').chain(signs.chars())
}

#[cfg(test)]
mod tests {
    use super::{Font, letters};

    #[test]
    fn every_letter_of_pictures_is_there() {
        let font = Font::new();
        for letter in letters() {
            assert_ne!(font.glyph(letter).0, 0, "{letter}");
        }
    }
}
