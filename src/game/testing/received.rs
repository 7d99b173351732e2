use crate::game::schema::command::{Command, CommandContainer, CommandKind};

/// A command that the server received.
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

    /// The name of the user who sent it; `None` before the login.
    pub fn user(&self) -> Option<&str> {
        self.user.as_deref()
    }

    /// The command.
    pub fn command(&self) -> &Command {
        &self.command
    }

    /// The kind of the command, or of the first of several; `None` if the schema does not have it.
    pub fn kind(&self) -> Option<CommandKind> {
        self.command.kinds().next()
    }
}
