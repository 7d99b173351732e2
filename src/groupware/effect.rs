//! What is known of a write.

use crate::labels::labels;

labels! {
    /// What is known of a write.
    pub enum Effect {
        /// It was done.
        Done = "done",
        /// It was not done: nothing was sent, or the server itself refused it.
        NotDone = "not_done",
        /// It may have been done, or may be yet: look before you repeat it.
        Unknown = "unknown",
    }
}
