use crate::game::schema::command::{Command, CommandContainer, CommandKind};

/// A command that the server got.
#[derive(Clone, Debug)]
pub struct ReceivedCommand {
    user: Option<String>,
    command: Command,
}

// === impl ReceivedCommand ===

impl ReceivedCommand {
    pub(super) fn new(user: Option<String>, container: &CommandContainer<'_>) -> Self {
        Self {
            user,
            command: Command::from_container(container),
        }
    }

    /// Who sent it; `None` before the login.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// What it is, to be compared or read.
    pub fn command(&self) -> &Command {
        &self.command
    }

    /// Which command it is, if the schema has it; of several the first.
    pub fn kind(&self) -> Option<CommandKind> {
        self.command.kinds().next()
    }
}
