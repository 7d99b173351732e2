//! The pages of the repository to which the documentation of this crate refers.
//!
//! They link to one another by file name; here each page is a module. `cargo test --doc` compiles the Rust code
//! on them.

// They are written for readers of the files, where both are common.
#![allow(rustdoc::bare_urls, rustdoc::invalid_html_tags)]

/// Makes a module of each page.
macro_rules! pages {
    ($($(#[$attribute:meta])* $name:ident = $path:literal;)*) => {
        $($(#[$attribute])* #[doc = include_str!($path)] pub mod $name {})*
    };
}

pages! {
    api = "../docs/API.md";
    architecture = "../docs/ARCHITECTURE.md";
    configuration = "../docs/CONFIGURATION.md";
    #[cfg(any(not(doctest), feature = "cli"))]
    embedding = "../docs/EMBEDDING.md";
    #[cfg(any(not(doctest), feature = "cli"))]
    game = "../docs/GAME.md";
    #[cfg(any(not(doctest), feature = "cli"))]
    game_client = "../docs/GAME_CLIENT.md";
    #[cfg(any(not(doctest), feature = "gateway"))]
    identity = "../docs/IDENTITY.md";
    operations = "../docs/OPERATIONS.md";
    performance = "../docs/PERFORMANCE.md";
    troubleshooting = "../docs/TROUBLESHOOTING.md";
}
