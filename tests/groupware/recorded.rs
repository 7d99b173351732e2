//! Calls of a stand-in for the server, which replays recorded answers.

use portreeve::groupware::{Access, Account, ClientSettings, Groupware};
use portreeve::outbound::certificates;

use crate::support::nextcloud::{Nextcloud, Recording};

pub(crate) const PASSWORD: &str = "FAKEAppPassword00000000";

pub(crate) fn client(nextcloud: &Nextcloud) -> Groupware {
    client_with(nextcloud, |_| {})
}

/// A client with other settings. It trusts the certificate of `nextcloud`, if it has one.
pub(crate) fn client_with(
    nextcloud: &Nextcloud,
    change: impl FnOnce(&mut ClientSettings),
) -> Groupware {
    let url = nextcloud.url();
    let mut settings = ClientSettings::default();
    if url.starts_with("https") {
        settings.extra_ca = certificates(nextcloud.ca_pem().as_bytes()).unwrap();
    }
    change(&mut settings);
    Groupware::new(url.parse().unwrap(), settings).unwrap()
}

pub(crate) fn account(user: &str) -> Account {
    Account::new(user, user, PASSWORD).unwrap()
}

/// A new client, for calls as `user`.
pub(crate) fn access(nextcloud: &Nextcloud, user: &str) -> Access {
    client(nextcloud).access(account(user))
}

/// The user for whom an answer was recorded.
pub(crate) fn user_of(recording: &Recording) -> &str {
    let mut headers = recording.response.headers.iter();
    let named = headers.find(|(name, _)| name == "X-User-Id");
    named.map_or("alice", |(_, id)| id)
}
