//! What a client sends: a [`CommandContainer`] with commands of one kind.
//!
//! [`Command`](crate::game::Command) makes one from a message of this module; reading works as for
//! answers:
//!
//! ```
//! use portreeve::game::command::{CommandContainer, Login, SessionCommandPayload};
//!
//! let container = CommandContainer::parse(b"\x08\x05\xa2\x06\x08\xca\x3e\x05\x0a\x03ann")?;
//! assert_eq!(container.cmd_id(), 5);
//! for command in container.session_command() {
//!     if let Some(SessionCommandPayload::Login(login)) = command?.payload()? {
//!         assert_eq!(login.user_name()?, "ann");
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Defined as in `proto/command.proto` and the files of `proto/command/`. What is newer than the
//! server whose messages were recorded says so.

mod account;
mod admin;
mod cards;
mod counters;
mod deck;
mod envelope;
mod family;
mod game;
mod moderation;
mod moderation_reports;
mod outgoing;
mod people;
mod replay;
mod report;
mod room;

pub use account::{
    AccountEdit, AccountImage, AccountPassword, Activate, ForgotPasswordChallenge,
    ForgotPasswordRequest, ForgotPasswordReset, Login, Ping, Register, RequestPasswordSalt,
    SetCardArtParams,
};
pub use admin::{
    AdjustMod, GetLogHistory, GetServerStats, ReloadConfig, ResetUserPassword, ShutdownServer,
    UpdateServerMessage,
};
pub use cards::{
    AttachCard, CardToMove, CardsToMove, ChangeZoneProperties, CreateArrow, CreateToken,
    DeleteArrow, DrawCards, DumpZone, FlipCard, MoveCard, Mulligan, RevealCards, SetCardAttr,
    Shuffle, TargetMode, UndoDraw,
};
pub use counters::{
    CreateCastCount, CreateCounter, DelCounter, IncCardCounter, IncCounter, SetCardCounter,
    SetCounter,
};
pub use deck::{
    DeckDel, DeckDelDir, DeckDownload, DeckDownloadPublic, DeckList, DeckListOtherUser, DeckNewDir,
    DeckSetVisibility, DeckShareCreate, DeckShareDownload, DeckShareList, DeckShareListMine,
    DeckShareRemove, DeckUpload,
};
pub use game::{
    Concede, DeckSelect, GameSay, Judge, KickFromGame, LeaveGame, MoveToZone, NextTurn, ReadyStart,
    ReverseTurn, RollDie, SetActivePhase, SetPlayerOrder, SetPlaymat, SetSideboardLock,
    SetSideboardPlan, Unconcede,
};
pub use moderation::{
    AddCardArtRule, BanFromServer, ForceActivateUser, GetAdminNotes, GetBanHistory,
    GetModeratorLastLogins, GetUserAlts, GetUserSessions, GetWarnHistory, GetWarnList,
    GrantReplayAccess, ListCardArtRules, RemoveCardArtRule, RemoveUserAvatar, UpdateAdminNotes,
    ViewLogHistory, WarnUser,
};
pub use moderation_reports::{
    ReplayDownloadByGameId, ReportAssign, ReportList, ReportReopen, ReportResolve, ReportStats,
    ReportUserInfo,
};
pub use people::{
    AddToList, GetGamesOfUser, GetUserInfo, JoinRoom, ListRooms, ListUsers, RemoveFromList,
    UserMessage,
};
pub use replay::{
    ReplayDeleteMatch, ReplayDownload, ReplayGetCode, ReplayList, ReplayModifyMatch,
    ReplaySubmitCode,
};
pub use report::{Report, ReportAddComment, ReportDetails, ReportMyList};
pub use room::{CreateGame, JoinGame, LeaveRoom, RoomSay};

pub use envelope::{
    AdminCommand, CommandContainer, DeveloperCommand, GameCommand, ModeratorCommand, RoomCommand,
    SessionCommand,
};
pub use family::{
    AdminCommandKind, AdminCommandPayload, DeveloperCommandKind, DeveloperCommandPayload,
    GameCommandKind, GameCommandPayload, ModeratorCommandKind, ModeratorCommandPayload,
    RoomCommandKind, RoomCommandPayload, SessionCommandKind, SessionCommandPayload,
};
pub use outgoing::{Command, CommandKind};
