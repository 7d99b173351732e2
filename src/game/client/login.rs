//! Logging in, as the official clients do.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha512};
use zeroize::Zeroizing;

use super::{Answer, Client, LoginError};
use crate::game::runtime::text::Text;
use crate::game::schema::command::{self, Command};
use crate::game::schema::event::ServerOptions;
use crate::game::schema::payload;
use crate::hex::hex;
use crate::opaque::opaque_debug;

const ROUNDS: u32 = 1000;
/// The length of a client's fingerprint, in hexadecimal digits.
const CLIENT_ID_LEN: usize = 15;
/// The features that a server may require of a client.
const FEATURES: &str = "client_id client_ver feature_set user_ban_history room_chat_history \
    client_warnings mod_log_lookup idle_client forgot_password websocket 2.7.0_min_version \
    2.8.0_min_version hashed_password_login";

/// A user name and password. The password is zeroized on drop and never shown by `Debug`.
#[derive(Clone)]
pub struct Credentials {
    user: String,
    password: Option<Zeroizing<String>>,
}

/// A password. A `String`, or one in `zeroize::Zeroizing`, is moved in and zeroized on drop; a `&str` is copied.
pub struct Password(pub(super) Zeroizing<String>);

// === impl Password ===

impl From<Zeroizing<String>> for Password {
    fn from(text: Zeroizing<String>) -> Self {
        Self(text)
    }
}

impl From<String> for Password {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&str> for Password {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

opaque_debug!(Password);

// === impl Credentials ===

impl Credentials {
    /// A guest.
    pub fn guest(user: impl Into<String>) -> Self {
        Self { user: user.into(), password: None }
    }

    /// A user with an account.
    pub fn account(user: impl Into<String>, password: impl Into<Password>) -> Self {
        Self { password: Some(password.into().0), ..Self::guest(user) }
    }
}

opaque_debug!(Credentials);

/// The fingerprint of a user's client, by which a server recognises banned ones.
pub(super) fn fingerprint(user: &str) -> String {
    let digest = Sha512::digest(format!("portreeve {user}"));
    let mut digits = hex(&digest).to_string();
    digits.truncate(CLIENT_ID_LEN);
    digits
}

// === impl Client ===

impl Client {
    /// Logs in. The password is sent salted and hashed if the server supports it, otherwise in plain text.
    ///
    /// Until the answer arrives, the server executes no commands except those for accounts.
    ///
    /// # Errors
    /// [`LoginError`] if the server refuses or does not answer.
    pub async fn login(&self, credentials: &Credentials) -> Result<Answer, LoginError> {
        let (mut hashed, mut plain) = (None, None);
        if let Some(password) = &credentials.password {
            if self.hashes_passwords() {
                let salt = self.salt(&credentials.user).await?;
                hashed = Some(hashed_password(&salt, password));
            } else {
                plain = Some(password);
            }
        }
        let features: Vec<_> = FEATURES.split(' ').map(Text::from).collect();
        let client_id = fingerprint(&credentials.user);
        let login = Command::session(command::Login {
            user_name: Some(credentials.user.as_str().into()),
            password: plain.map(|password| password.as_str().into()),
            clientid: Some(client_id.as_str().into()),
            clientver: Some(env!("CARGO_PKG_VERSION").into()),
            clientfeatures: (&features).into(),
            hashed_password: hashed.as_ref().map(|hashed| hashed.as_str().into()),
            ..command::Login::default()
        });
        self.send(login).await?.into_accepted().map_err(LoginError::Refused)
    }

    pub(super) fn hashes_passwords(&self) -> bool {
        self.server().server_options() == ServerOptions::SupportsPasswordHash
    }

    async fn salt(&self, user: &str) -> Result<String, LoginError> {
        let request = command::RequestPasswordSalt::new(user);
        let answer = self.send(Command::session(request)).await?;
        let answer = answer.into_accepted().map_err(LoginError::Refused)?;
        let salt = answer.response.get::<payload::PasswordSalt<'_>>();
        // The answer was checked, and with it that this is UTF-8.
        match salt.map(|salt| salt.password_salt().unwrap_or_default().to_owned()) {
            Some(salt) if !salt.is_empty() => Ok(salt),
            _ => Err(LoginError::NoAccount),
        }
    }
}

/// A password as it is sent to a server and stored there: the salt, then the base64 of SHA-512 applied
/// 1,000 times, first to the salt and the password, then to the previous digest.
pub fn hashed_password(salt: &str, password: &str) -> Zeroizing<String> {
    let first = Sha512::new().chain_update(salt).chain_update(password);
    let mut digest = Zeroizing::new(<[u8; 64]>::from(first.finalize()));
    for _ in 1..ROUNDS {
        *digest = Sha512::digest(*digest).into();
    }
    let encoded = Zeroizing::new(STANDARD.encode(*digest));
    Zeroizing::new([salt, &encoded].concat())
}
