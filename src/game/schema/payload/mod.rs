//! The payloads of a [`Response`](crate::game::Response).
//!
//! ```
//! use portreeve::game::payload::{Kind, Login, PasswordSalt, Payload};
//! use portreeve::game::{Response, ResponseCode};
//!
//! let bytes = b"\x08\x07\x10\x01\xca\x3f\x06\x0a\x04salt";
//! let response = Response::parse(bytes)?;
//! // Which payload there is, without reading it:
//! assert_eq!(response.kind(), Some(Kind::PasswordSalt));
//! // By its type:
//! let salt = response.get::<PasswordSalt>()?.expect("it is present");
//! assert_eq!(salt.password_salt()?, "salt");
//! assert!(response.get::<Login>()?.is_none());
//! // Any of them:
//! match response.payload()? {
//!     Some(Payload::PasswordSalt(salt)) => assert_eq!(salt.password_salt()?, "salt"),
//!     other => panic!("{other:?}"),
//! }
//! # Ok::<(), portreeve::game::DecodeError>(())
//! ```
//!
//! Defined as in the files of `proto/payload/`. To add a payload, add its message to one of the
//! files of this module and a line to the table in `table.rs`.

mod account;
mod deck;
mod moderation;
mod replay;
mod report;
mod room;
mod server;
mod table;

pub use account::{Activate, AdjustMod, ForgotPasswordRequest, Login, PasswordSalt, Register};
pub use deck::{
    DeckDownload, DeckList, DeckShareCreate, DeckShareDownload, DeckShareList, DeckShareListMine,
    DeckUpload,
};
pub use moderation::{
    BanHistory, CardArtRule, GetAdminNotes, ListCardArtRules, ModeratorLastLogins,
    RemoveUserAvatar, ResetUserPassword, UserAlts, UserSessions, ViewLogHistory, WarnHistory,
    WarnList,
};
pub use replay::{ReplayDownload, ReplayDownloadByGameId, ReplayGetCode, ReplayList};
pub use report::{ReportDetails, ReportList, ReportMyList, ReportStats, ReportUserInfo};
pub use room::{DumpZone, GetGamesOfUser, GetUserInfo, JoinRoom, ListUsers};
pub use server::GetServerStats;
pub use table::{Kind, Payload, ResponsePayload};
