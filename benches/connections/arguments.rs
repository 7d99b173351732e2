//! The command line.

/// How much is to be done.
pub(crate) struct Arguments {
    /// Whether this process is to be the bare server.
    pub(crate) bare: bool,
    /// Connections that are idle.
    pub(crate) idle: usize,
    /// Connections that make one request after another.
    pub(crate) active: usize,
    /// How long they do.
    pub(crate) seconds: u64,
}

impl Arguments {
    pub(crate) fn from_env() -> Self {
        let mut arguments = Self {
            bare: false,
            idle: 10_000,
            active: 2_000,
            seconds: 60,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut number = || {
                let number = words.next().and_then(|number| number.parse().ok());
                number.unwrap_or_else(|| panic!("{word} needs a number"))
            };
            match word.as_str() {
                "--bare" => arguments.bare = true,
                "--idle" => arguments.idle = number(),
                "--active" => arguments.active = number(),
                "--seconds" => arguments.seconds = number() as u64,
                // Given by `cargo bench`.
                "--bench" => {}
                _ => panic!("{word} is none of --idle N, --active N, --seconds N"),
            }
        }
        arguments
    }
}
