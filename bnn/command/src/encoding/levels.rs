//! Words as numbers: a 1 in the place of a row's word and 0 elsewhere.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::args::UnknownWords;

/// The largest number of words with a place of their own.
const MOST: usize = 50;
/// Least fraction of the rows that the words with places must cover. Below it they say nothing of most rows.
const COVERED: f64 = 0.1;

/// The words of a column that have places of their own, in alphabetical order, and whether the other words have one
/// place together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Levels {
    pub(crate) words: Vec<String>,
    pub(crate) other: bool,
    /// The words that share the place, if new words are refused; else they have that place too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) rare: Option<BTreeSet<String>>,
}

impl Levels {
    /// The frequent words of `texts`; none if nearly all words are rare.
    ///
    /// A word is frequent if 2 to 5 rows have it, the more the more rows there are, and if it is one of the 50 that most
    /// rows have.
    pub(crate) fn of<'a>(
        texts: impl Iterator<Item = Cow<'a, str>>,
        unknown: UnknownWords,
    ) -> Option<Self> {
        let mut counts: BTreeMap<Cow<'a, str>, usize> = BTreeMap::new();
        let mut rows = 0;
        for text in texts {
            *counts.entry(text).or_default() += 1;
            rows += 1;
        }
        let least = (rows / 40).clamp(2, 5);
        let mut by_count: Vec<(Cow<'a, str>, usize)> = counts.into_iter().collect();
        // The sort is stable: words that as many rows have stay in alphabetical order.
        by_count.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let frequent = by_count.iter().take(MOST).filter(|(_, count)| *count >= least).count();
        // A place that one rare word has alone may have its name.
        let kept = if by_count.len() == frequent + 1 { frequent + 1 } else { frequent };
        let covered: usize = by_count.iter().take(kept).map(|(_, count)| count).sum();
        if kept == 0 || (covered as f64) < COVERED * rows as f64 {
            return None;
        }
        let other = kept < by_count.len();
        let mut all = by_count.into_iter().map(|(word, _)| word.into_owned());
        let mut words: Vec<String> = all.by_ref().take(kept).collect();
        words.sort();
        let rare = (unknown == UnknownWords::Error).then(|| all.collect());
        Some(Self { words, other, rare })
    }

    /// The place of a word; none if the word is new and has no place.
    pub(crate) fn place(&self, word: &str) -> Option<usize> {
        let own = self.words.iter().position(|known| *known == word);
        let shares = self.other && self.rare.as_ref().is_none_or(|rare| rare.contains(word));
        own.or(shares.then_some(self.words.len()))
    }

    /// Number of inputs for a word.
    pub(crate) fn width(&self) -> usize {
        self.words.len() + usize::from(self.other)
    }
}

#[cfg(test)]
mod tests {
    use super::{Levels, UnknownWords};

    fn of<'a>(words: impl Iterator<Item = &'a str>) -> Option<Levels> {
        Levels::of(words.map(Into::into), UnknownWords::Other)
    }

    #[test]
    fn rare_words_share_a_place() {
        let words = ["a"; 30].into_iter().chain(["b"; 20]).chain(["c", "d", "e"]);
        let levels = of(words).unwrap();
        assert_eq!(levels, Levels { words: vec!["a".into(), "b".into()], other: true, rare: None });
        // One rare word alone keeps its name.
        let levels = of(["a", "a", "b"].into_iter()).unwrap();
        assert_eq!(
            levels,
            Levels { words: vec!["a".into(), "b".into()], other: false, rare: None }
        );
        let names: Vec<String> = (0..100).map(|i| format!("n{}", i / 2)).collect();
        assert!(of(names.iter().map(String::as_str)).is_some());
        let names: Vec<String> = (0..100).map(|i| format!("n{i}")).collect();
        assert_eq!(of(names.iter().map(String::as_str)), None);
    }
}
