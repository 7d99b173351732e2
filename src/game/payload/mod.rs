//! The payloads of a [`Response`](super::Response).
//!
//! Defined as in the files of `proto/payload/`. A payload is one more message in one of the files
//! of this module and one more line in the table below.

mod account;
mod deck;
mod moderation;
mod replay;
mod report;
mod room;
mod table;

pub use account::{Activate, AdjustMod, ForgotPasswordRequest, Login, PasswordSalt, Register};
pub use deck::{DeckDownload, DeckList, DeckUpload};
pub use moderation::{
    BanHistory, CardArtRule, GetAdminNotes, ListCardArtRules, ModeratorLastLogins,
    RemoveUserAvatar, ResetUserPassword, UserAlts, UserSessions, ViewLogHistory, WarnHistory,
    WarnList,
};
pub use replay::{ReplayDownload, ReplayDownloadByGameId, ReplayGetCode, ReplayList};
pub use report::{ReportDetails, ReportList, ReportMyList, ReportStats, ReportUserInfo};
pub use room::{DumpZone, GetGamesOfUser, GetUserInfo, JoinRoom, ListUsers};
pub use table::{Kind, Payload, ResponsePayload};
