//! Any text is read, or refused with a place inside of it.

#![no_main]

use gaussform_symbolic::Error;
use gaussform_symbolic::grammar::{parse_file, parse_input};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let check = |error: Error| {
        assert!(error.span.start <= error.span.end && error.span.end <= text.len());
        assert!(text.is_char_boundary(error.span.start) && text.is_char_boundary(error.span.end));
        assert!(!error.to_string().is_empty());
    };
    parse_input(text).map_or_else(check, drop);
    parse_file(text).map_or_else(check, drop);
});
