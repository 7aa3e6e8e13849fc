//! Nothing: there are dependencies of build scripts where there is one.

fn main() {}
