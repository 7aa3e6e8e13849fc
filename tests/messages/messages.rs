//! Functions that `#[gaussform::activation]` accepts, and the errors for those that it refuses.
//!
//! The texts in `ui/err` are those of the workspace's compiler; after a change, run with
//! `TRYBUILD=overwrite` and read the difference.

#[test]
fn attribute() {
    let cases = trybuild::TestCases::new();
    cases.pass("ui/ok/*.rs");
    cases.compile_fail("ui/err/*.rs");
}
