//! Login flows: how users grant an app password on the groupware server's own page (Login Flow v2;
//! docs/API.md, section 5.5).

use std::sync::Arc;
use std::time::SystemTime;

use zeroize::Zeroizing;

use super::handle::Record;
use super::time::from_millis;
use super::{AppPassword, Login, Row, Table, fields};
use crate::opaque::opaque_debug;

/// The first byte of a sealed state.
const PENDING: u8 = 0;
const COLLECTED: u8 = 1;
const GRANTED: u8 = 2;
const OTHER_ACCOUNT: u8 = 3;
const REFUSED: u8 = 4;
const DISCARDED: u8 = 5;
const ACCOUNT_TAKEN: u8 = 6;

/// A login flow that a user started, with its state. Made by [`Vault::put_flow`].
///
/// [`Vault::put_flow`]: super::Vault::put_flow
#[derive(Clone, Debug)]
pub struct LoginFlow {
    /// Its state.
    pub state: FlowState,
    /// The row it was opened from, which a change expects.
    pub(super) row: Arc<Row>,
}

/// The state of a login flow.
#[derive(Clone)]
#[non_exhaustive]
pub enum FlowState {
    /// The user has not granted yet.
    Pending {
        /// The page on which the user grants.
        login_url: Box<str>,
        /// The path of the groupware server's poll endpoint.
        poll_path: Box<str>,
        /// The token that picks the password up there.
        poll_token: Zeroizing<Box<str>>,
        /// Whether the answer to a poll is not known: it may have had the password.
        is_in_doubt: bool,
    },
    /// The groupware server has handed the password out, which it does once; it is not yet checked and stored.
    Collected(Login),
    /// The password is stored.
    Granted,
    /// The grant was for another account than the one that started the flow.
    OtherAccount,
    /// The account that granted is bound to another person.
    AccountTaken,
    /// The groupware server refused the password that it had handed out.
    Refused,
    /// No flow any more, but a password that one had handed out and that is to be destroyed at the
    /// groupware server, unless it is the stored one.
    Discarded(Login),
}

// === impl LoginFlow ===

impl LoginFlow {
    /// Names the flow to its owner: 22 characters of `[A-Za-z0-9_-]`, 128 random bits.
    pub fn flow_id(&self) -> &str {
        &self.row.key
    }

    /// The account id of the user that started it, or [`PersonId::as_owner`](super::PersonId::as_owner).
    pub fn user_id(&self) -> &str {
        &self.row.owner
    }

    /// The time at which it expires, in whole milliseconds.
    pub fn expires_at(&self) -> SystemTime {
        from_millis(self.row.number)
    }
}

impl Record for LoginFlow {
    const TABLE: Table = Table::LoginFlow;

    fn decode(plain: &[u8], row: &Arc<Row>) -> Option<Self> {
        let (state, row) = (FlowState::decode(plain)?, row.clone());
        Some(Self { state, row })
    }
}

// === impl FlowState ===

impl FlowState {
    /// The password in it that is neither stored nor destroyed yet.
    pub fn login(&self) -> Option<&Login> {
        match self {
            Self::Collected(login) | Self::Discarded(login) => Some(login),
            _ => None,
        }
    }

    /// Whether the password may have been handed out with an answer that is not known.
    pub fn is_in_doubt(&self) -> bool {
        matches!(self, Self::Pending { is_in_doubt, .. } if *is_in_doubt)
    }

    pub(super) fn encode(&self) -> Zeroizing<Vec<u8>> {
        let (tag, texts): (u8, &[&str]) = match self {
            Self::Pending { login_url, poll_path, poll_token, .. } => {
                (PENDING, &[login_url, poll_path, poll_token])
            }
            Self::Collected(login) => (COLLECTED, &[&login.name, login.password.expose()]),
            Self::Discarded(login) => (DISCARDED, &[&login.name, login.password.expose()]),
            Self::Granted => (GRANTED, &[]),
            Self::OtherAccount => (OTHER_ACCOUNT, &[]),
            Self::AccountTaken => (ACCOUNT_TAKEN, &[]),
            Self::Refused => (REFUSED, &[]),
        };
        fields::encode(&[tag], self.is_in_doubt().into(), texts).into()
    }

    fn decode(plain: &[u8]) -> Option<Self> {
        if let Some((PENDING, in_doubt, [login_url, poll_path, poll_token])) = fields::decode(plain)
        {
            return Some(Self::Pending {
                login_url: login_url.into(),
                poll_path: poll_path.into(),
                poll_token: Zeroizing::new(poll_token.into()),
                is_in_doubt: in_doubt != 0,
            });
        }
        if let Some((tag, _, [name, password])) = fields::decode(plain) {
            let (name, password) = (name.into(), AppPassword::new(password).ok()?);
            let login = Login { name, password };
            return match tag {
                COLLECTED => Some(Self::Collected(login)),
                DISCARDED => Some(Self::Discarded(login)),
                _ => None,
            };
        }
        let (tag, _, []) = fields::decode(plain)?;
        Some(match tag {
            GRANTED => Self::Granted,
            OTHER_ACCOUNT => Self::OtherAccount,
            ACCOUNT_TAKEN => Self::AccountTaken,
            REFUSED => Self::Refused,
            _ => return None,
        })
    }
}

opaque_debug!(FlowState);
