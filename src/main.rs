//! The `portreeve` binary.

fn main() {}
