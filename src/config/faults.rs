//! Everything that is wrong with the settings, at once.

use super::ConfigError;

/// What is wrong, each fault once.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<ConfigError>);

// === impl Faults ===

impl Faults {
    /// The value, or `None` and one fault more.
    pub(crate) fn keep<T>(&mut self, result: Result<T, ConfigError>) -> Option<T> {
        result.map_err(|fault| self.add(fault)).ok()
    }

    /// Adds a fault, unless it is there already: what reads a setting after another one finds the same.
    pub(crate) fn add(&mut self, fault: ConfigError) {
        if !self.0.contains(&fault) {
            self.0.push(fault);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl IntoIterator for Faults {
    type Item = ConfigError;
    type IntoIter = std::vec::IntoIter<ConfigError>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
