//! Accounts: registration, activation and forgotten passwords.

use zeroize::Zeroizing;

use super::login::fingerprint;
use super::{Answer, CallError, Client, Password, RefusedError, hashed_password};
use crate::game::schema::ResponseCode;
use crate::game::schema::command::{self, Command};
use crate::game::schema::payload;
use crate::opaque::opaque_debug;

const SALT_LEN: usize = 16;
const SALT_CHARACTERS: &[u8; 62] =
    b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A new account. The password is zeroized on drop and never shown by `Debug`.
#[derive(Clone)]
#[non_exhaustive]
pub struct Registration {
    /// The name of the user.
    pub user: String,
    /// The password.
    pub password: Zeroizing<String>,
    /// The address that the server sends the activation token to; servers usually require one.
    pub email: Option<String>,
    /// The user's country, as a two-letter code in lower case.
    pub country: Option<String>,
    /// The user's real name, which everybody can see.
    pub real_name: Option<String>,
}

/// The outcome of a registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Registered {
    /// The user can log in.
    Accepted,
    /// The user can log in once the account is [activated](Client::activate) with a token that the server sends by e-mail.
    NeedsActivation,
}

/// Why an operation on an account failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccountError {
    /// There was no answer.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The server sends the token only to someone who knows the e-mail address of the account.
    #[error(
        "cannot reset the password: the game server requires the e-mail address of the account"
    )]
    EmailNeeded,
    /// The server refused.
    #[error("the game server refused the request: {}", .0.describe())]
    Refused(RefusedError),
    /// The system has no random numbers to salt the password with.
    #[error("cannot salt the password: the system has no random numbers: {0}")]
    Random(String),
}

// === impl Registration ===

impl Registration {
    /// An account with this name and nothing else.
    pub fn new(user: impl Into<String>, password: impl Into<Password>) -> Self {
        Self {
            user: user.into(),
            password: password.into().0,
            email: None,
            country: None,
            real_name: None,
        }
    }
}

opaque_debug!(Registration);

// === impl Client ===

impl Client {
    /// Registers an account. Like all methods for accounts, it is called before [`login`](Self::login).
    ///
    /// Passwords are sent salted and hashed if the server supports it, otherwise in plain text.
    ///
    /// # Errors
    /// [`AccountError`] if the server refuses or does not answer.
    pub async fn register(&self, registration: &Registration) -> Result<Registered, AccountError> {
        let (plain, hashed) = self.new_password(&registration.password)?;
        let client_id = fingerprint(&registration.user);
        let answer = self
            .send(Command::session(command::Register {
                password: plain.map(Into::into),
                hashed_password: hashed.as_ref().map(|hashed| hashed.as_str().into()),
                email: registration.email.as_deref().map(Into::into),
                country: registration.country.as_deref().map(Into::into),
                real_name: registration.real_name.as_deref().map(Into::into),
                clientid: Some(client_id.as_str().into()),
                ..command::Register::new(registration.user.as_str())
            }))
            .await?;
        use ResponseCode::{RespRegistrationAccepted, RespRegistrationAcceptedNeedsActivation};
        match answer.response.code() {
            Some(RespRegistrationAccepted) => Ok(Registered::Accepted),
            Some(RespRegistrationAcceptedNeedsActivation) => Ok(Registered::NeedsActivation),
            _ => Err(refused(&answer)),
        }
    }

    /// Activates an account with the token that the server sent.
    ///
    /// # Errors
    /// [`AccountError`] if the server refuses or does not answer.
    pub async fn activate(&self, user: &str, token: &str) -> Result<(), AccountError> {
        let client_id = fingerprint(user);
        let activate = command::Activate {
            clientid: Some(client_id.as_str().into()),
            ..command::Activate::new(user, token)
        };
        let answer = self.send(Command::session(activate)).await?;
        match answer.response.code() {
            Some(ResponseCode::RespActivationAccepted) => Ok(()),
            _ => Err(refused(&answer)),
        }
    }

    /// Requests a token for [setting a new password](Self::reset_password), which the server sends by
    /// e-mail. Some servers require the e-mail address of the account as proof.
    ///
    /// # Errors
    /// [`AccountError::EmailNeeded`] if the server requires `email`; another one if it refuses or does not answer.
    pub async fn request_password_reset(
        &self,
        user: &str,
        email: Option<&str>,
    ) -> Result<(), AccountError> {
        let client_id = fingerprint(user);
        let request = command::ForgotPasswordRequest {
            clientid: Some(client_id.as_str().into()),
            ..command::ForgotPasswordRequest::new(user)
        };
        let answer = ok(self.send(Command::session(request)).await?)?;
        let asked = answer.response.get::<payload::ForgotPasswordRequest<'_>>();
        if !asked.is_some_and(|asked| asked.challenge_email()) {
            return Ok(());
        }
        let challenge = command::ForgotPasswordChallenge {
            clientid: Some(client_id.as_str().into()),
            email: Some(email.ok_or(AccountError::EmailNeeded)?.into()),
            ..command::ForgotPasswordChallenge::new(user)
        };
        ok(self.send(Command::session(challenge)).await?).map(drop)
    }

    /// Sets a new password with a token that the server sent.
    ///
    /// # Errors
    /// [`AccountError`] if the server refuses or does not answer.
    pub async fn reset_password(
        &self,
        user: &str,
        token: &str,
        new_password: &str,
    ) -> Result<(), AccountError> {
        let (plain, hashed) = self.new_password(new_password)?;
        let client_id = fingerprint(user);
        let reset = command::ForgotPasswordReset {
            clientid: Some(client_id.as_str().into()),
            token: Some(token.into()),
            new_password: plain.map(Into::into),
            hashed_new_password: hashed.as_ref().map(|hashed| hashed.as_str().into()),
            ..command::ForgotPasswordReset::new(user)
        };
        ok(self.send(Command::session(reset)).await?).map(drop)
    }

    /// A new password in the form that the server supports: in plain text, or salted and hashed.
    fn new_password<'p>(&self, password: &'p str) -> Result<NewPassword<'p>, AccountError> {
        if !self.hashes_passwords() {
            return Ok((Some(password), None));
        }
        let mut random = [0; SALT_LEN];
        getrandom::fill(&mut random).map_err(|error| AccountError::Random(error.to_string()))?;
        let letter = |byte: &u8| char::from(SALT_CHARACTERS[usize::from(byte % 62)]);
        let salt: String = random.iter().map(letter).collect();
        Ok((None, Some(hashed_password(&salt, password))))
    }
}

type NewPassword<'p> = (Option<&'p str>, Option<Zeroizing<String>>);

fn ok(answer: Answer) -> Result<Answer, AccountError> {
    answer.into_accepted().map_err(AccountError::Refused)
}

fn refused(answer: &Answer) -> AccountError {
    AccountError::Refused(RefusedError::from_answer(&answer.response))
}
