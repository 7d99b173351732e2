//! The tokens file, and its edits.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use zeroize::Zeroizing;

use super::BearerToken;
use super::digest::TokenDigest;
use super::tokens_format::{HEADING, TokenRecord, check_scope, check_user};
use crate::files::{self, Content, Edit, Stamp};
use crate::random;

/// The prefix of tokens made by [`TokensFile`].
pub(super) const PREFIX: &str = "prt_";

/// Maximum size of the file, in bytes: some 100,000 tokens.
const MAX_SIZE: u64 = 16 << 20;

/// The last second of the year 9999, after 1970: RFC 3339 writes years with four digits.
pub(super) const LAST_SECOND: u64 = 253_402_300_799;

/// A file of static tokens, with the SHA-256 digest and the user of each.
///
/// Every edit replaces the file atomically, under a lock shared by all processes, and is on disk when
/// the call returns. Comments and the order of lines are kept, and so are the mode and the owner of an
/// existing file. A [`StaticTokens`](super::StaticTokens) verifier reloads the file after each edit.
///
/// ```
/// use portreeve::identity::TokensFile;
///
/// # let dir = tempfile::tempdir().unwrap();
/// # let path = dir.path().join("tokens");
/// let file = TokensFile::new(path);
/// let made = file.new_token("alice", ["webhooks"], None).unwrap();
/// println!("{}", made.token.expose()); // it is not stored
///
/// assert_eq!(file.list().unwrap(), [made.record.clone()]);
/// file.revoke(&made.record.id).unwrap();
/// assert!(file.list().unwrap().is_empty());
/// ```
#[derive(Clone, Debug)]
pub struct TokensFile {
    path: PathBuf,
}

/// A new token.
#[derive(Debug)]
#[non_exhaustive]
pub struct NewToken {
    /// Its record in the file.
    pub record: TokenRecord,
    /// The token itself, which is not stored.
    pub token: BearerToken,
}

/// Why a tokens file could not be read or changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokensFileError {
    /// The file, or its directory, could not be read or written.
    #[error("cannot {action} the tokens file {}: {cause}{}", path.display(), hint(action, cause))]
    Io {
        /// The action: `read`, `follow`, `lock` or `write`.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why it failed.
        cause: io::Error,
    },
    /// A line of the file is not a token.
    #[error(
        "line {line} of the tokens file {} is not a token: {reason}; correct or remove it",
        path.display()
    )]
    Line {
        /// The file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The reason.
        reason: &'static str,
    },
    /// The file is too large for a tokens file.
    #[error("the tokens file {} is larger than {MAX_SIZE} bytes", .0.display())]
    TooLarge(PathBuf),
    /// The user cannot be represented in the file.
    #[error("cannot create a token for this user: {0}")]
    User(&'static str),
    /// The expiry cannot be represented in the file.
    #[error("cannot create a token with this expiry: {0}")]
    Expiry(&'static str),
    /// A scope cannot be represented in the file.
    #[error("cannot create a token with this scope: {0}")]
    Scope(&'static str),
    /// The file has no token with this id.
    #[error("the tokens file {} has no token with the id {id}; `token list` shows all", .0.display(), id = .1)]
    NoSuchToken(PathBuf, String),
    /// The operating system provided no random bytes.
    #[error("the operating system gave no random bytes for a token: {0}")]
    Random(io::Error),
}

// === impl TokensFileError ===

impl TokensFileError {
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Io { cause, .. } if cause.kind() == io::ErrorKind::NotFound)
    }
}

// === impl TokensFile ===

impl TokensFile {
    /// The file at `path`, which may not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Creates a token of 256 random bits for the groupware account `user_id` and adds it to the file,
    /// which is created with mode 0600 if it is missing. The token expires at `expires_at`, rounded up to a second.
    ///
    /// # Errors
    /// If the user or a scope is invalid (a user is 1 to 255 bytes without control characters and
    /// colons, a scope is as in RFC 6749, section 3.3), if `expires_at` is not in the future or is after the year
    /// 9999, or if the file cannot be read, parsed or replaced. Nothing is changed then.
    pub fn new_token<'a>(
        &self,
        user_id: &str,
        scopes: impl IntoIterator<Item = &'a str>,
        expires_at: Option<SystemTime>,
    ) -> Result<NewToken, TokensFileError> {
        let expires_at = expires_at.map(expiry).transpose()?;
        let user_id = check_user(user_id).map_err(TokensFileError::User)?.into();
        let checked = |scope| check_scope(scope).map(Into::into);
        let scopes: Result<_, _> = scopes.into_iter().map(checked).collect();
        let scopes = scopes.map_err(TokensFileError::Scope)?;
        let token = random_token()?;

        let edit = self.edit(Some(HEADING))?;
        let mut text = edit.text.clone();
        let known = parse(&self.path, &text)?;
        let id = loop {
            let number = u32::from_ne_bytes(random::bytes().map_err(TokensFileError::Random)?);
            let id = format!("{number:08x}");
            if known.iter().all(|record| *record.id != *id) {
                break id.into();
            }
        };
        let now = UNIX_EPOCH.elapsed().unwrap_or_default();
        let record = TokenRecord {
            id,
            digest: TokenDigest::of(&token),
            created: UNIX_EPOCH + Duration::from_secs(now.as_secs()),
            user_id,
            scopes,
            expires_at,
        };
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text.push_str(&record.to_string());
        text.push('\n');
        edit.finish(&text).map_err(io_error("write", &self.path))?;
        Ok(NewToken { record, token })
    }

    /// The tokens in the file, in its order.
    ///
    /// # Errors
    /// If the file is missing, or cannot be read or parsed.
    pub fn list(&self) -> Result<Vec<TokenRecord>, TokensFileError> {
        parse_content(&self.path, read(&self.path)?)
    }

    /// Removes the token named `id` from the file, and returns its record.
    ///
    /// # Errors
    /// [`TokensFileError::NoSuchToken`] if the file has no such token; others as for [`new_token`](Self::new_token).
    pub fn revoke(&self, id: &str) -> Result<TokenRecord, TokensFileError> {
        let edit = self.edit(None)?;
        let mut tokens = parse(&self.path, &edit.text)?.into_iter();
        let revoked = tokens.find(|record| &*record.id == id);
        let none = || TokensFileError::NoSuchToken(self.path.clone(), id.into());
        let revoked = revoked.ok_or_else(none)?;
        let is_revoked =
            |line: &str| matches!(TokenRecord::parse(line), Some(Ok(record)) if &*record.id == id);
        let lines = edit.text.split_inclusive('\n');
        let rest: String = lines.filter(|line| !is_revoked(line)).collect();
        edit.finish(&rest).map_err(io_error("write", &self.path))?;
        Ok(revoked)
    }

    fn edit(&self, new: Option<&str>) -> Result<Edit, TokensFileError> {
        Edit::begin(&self.path, MAX_SIZE, new)
            .map_err(|(action, cause)| io_error(action, &self.path)(cause))
    }
}

pub(super) fn read(path: &Path) -> Result<Content, TokensFileError> {
    files::read(path, MAX_SIZE).map_err(io_error("read", path))
}

/// Reads a tokens file, unless it is as it was when `known` was taken. Blocks on the file system.
pub(super) fn read_changed(
    path: &Path,
    known: Option<&Stamp>,
) -> Result<Option<Content>, TokensFileError> {
    files::read_changed(path, MAX_SIZE, known).map_err(io_error("read", path))
}

pub(super) fn parse_content(
    path: &Path,
    content: Content,
) -> Result<Vec<TokenRecord>, TokensFileError> {
    let text = content.into_text().map_err(io_error("read", path))?;
    parse(path, &text)
}

fn parse(path: &Path, text: &str) -> Result<Vec<TokenRecord>, TokensFileError> {
    let record = |(line, text): (usize, &str)| {
        let error = |reason| TokensFileError::Line { path: path.into(), line, reason };
        Some(TokenRecord::parse(text)?.map_err(error))
    };
    (1..).zip(text.lines()).filter_map(record).collect()
}

/// `end`, rounded up to a second.
fn expiry(end: SystemTime) -> Result<SystemTime, TokensFileError> {
    if end <= SystemTime::now() {
        return Err(TokensFileError::Expiry("it has passed"));
    }
    let nearly_one = Duration::from_nanos(999_999_999);
    let end = end.duration_since(UNIX_EPOCH).unwrap_or_default() + nearly_one;
    if end.as_secs() > LAST_SECOND {
        return Err(TokensFileError::Expiry("it is after the year 9999"));
    }
    Ok(UNIX_EPOCH + Duration::from_secs(end.as_secs()))
}

/// 256 random bits from the operating system, after a prefix by which scanners for leaked secrets recognize tokens.
fn random_token() -> Result<BearerToken, TokensFileError> {
    let mut bytes = Zeroizing::new([0; 32]);
    random::fill(&mut *bytes).map_err(TokensFileError::Random)?;
    let mut text = Zeroizing::new(String::with_capacity(64));
    text.push_str(PREFIX);
    URL_SAFE_NO_PAD.encode_string(*bytes, &mut text);
    Ok(BearerToken::new(&text).expect("base64url is within the b64token alphabet"))
}

pub(super) fn io_error(
    action: &'static str,
    path: &Path,
) -> impl FnOnce(io::Error) -> TokensFileError {
    move |cause| match (action, cause.kind()) {
        ("read", io::ErrorKind::FileTooLarge) => TokensFileError::TooLarge(path.into()),
        _ => TokensFileError::Io { action, path: path.into(), cause },
    }
}

fn hint(action: &str, cause: &io::Error) -> &'static str {
    match (action, cause.kind()) {
        ("read", io::ErrorKind::NotFound) => "; `token new` creates it",
        _ => "",
    }
}
