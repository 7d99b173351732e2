use super::account::{Activate, AdjustMod, ForgotPasswordRequest, Login, PasswordSalt, Register};
use super::deck::{DeckDownload, DeckList, DeckUpload};
use super::moderation::{
    BanHistory, GetAdminNotes, ListCardArtRules, ModeratorLastLogins, RemoveUserAvatar,
    ResetUserPassword, UserAlts, UserSessions, ViewLogHistory, WarnHistory, WarnList,
};
use super::replay::{ReplayDownload, ReplayDownloadByGameId, ReplayGetCode, ReplayList};
use super::report::{ReportDetails, ReportList, ReportMyList, ReportStats, ReportUserInfo};
use super::room::{DumpZone, GetGamesOfUser, GetUserInfo, JoinRoom, ListUsers};
use crate::game::runtime::decode::Decode;
use crate::game::runtime::error::DecodeError;
use crate::game::runtime::message::Message;
use crate::game::runtime::rules::Rules;

/// A message that is the payload of a [`Response`](crate::game::Response). Sealed, as
/// [`Message`] is.
pub trait ResponsePayload<'a>: Message<'a> + Into<Payload<'a>> {
    /// Which one.
    const KIND: Kind;

    /// The payload, if it is of this type.
    fn of<'p>(payload: &'p Payload<'a>) -> Option<&'p Self>;
}

/// Something to do with a payload type that only a [`Kind`] tells.
pub(crate) trait ForPayload<'a> {
    /// What comes of it.
    type Output;

    /// Does it for the payload type `P`.
    fn run<P: ResponsePayload<'a>>(self) -> Self::Output;
}

macro_rules! payloads {
    ($( $(#[$doc:meta])* $name:ident = $number:literal $command:literal $extension:literal; )*) => {
        /// Which payload an answer has (docs/ARCHITECTURE.md, "The reader"), the additions of
        /// newer servers included.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[repr(u32)]
        pub enum Kind {
            $(
                #[doc = concat!("[`", stringify!($name), "`](super::", stringify!($name), ")")]
                $(#[$doc])*
                $name = $number,
            )*
        }

        impl Kind {
            /// Every kind, in the order of the schema.
            pub const ALL: &'static [Self] = &[$( Self::$name, )*];

            /// The kind whose extension has this number, if the schema has one.
            #[inline]
            pub const fn from_number(number: u32) -> Option<Self> {
                match number {
                    $( $number => Some(Self::$name), )*
                    _ => None,
                }
            }

            /// The number of its extension.
            #[inline]
            pub const fn number(self) -> u32 {
                self as u32
            }

            /// The name that the schema has for it.
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$name => $command, )*
                }
            }

            /// The name of the extension, as JSON has it: `[Response_Login.ext]`.
            pub const fn extension(self) -> &'static str {
                match self {
                    $( Self::$name => $extension, )*
                }
            }

            /// Does something for the payload type of this kind.
            #[inline]
            pub(crate) fn for_payload<'a, F: ForPayload<'a>>(self, action: F) -> F::Output {
                match self {
                    $( Self::$name => action.run::<$name<'a>>(), )*
                }
            }
        }

        impl std::fmt::Display for Kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        /// A payload of any kind.
        #[derive(Clone, Copy, Debug)]
        #[non_exhaustive]
        // All but a few are small, and none is kept for long: a box would cost more than the space.
        #[allow(clippy::large_enum_variant)]
        pub enum Payload<'a> {
            $(
                #[doc = concat!("[`", stringify!($name), "`](super::", stringify!($name), ")")]
                $name($name<'a>),
            )*
        }

        impl<'a> Payload<'a> {
            /// Reads the one piece of a payload of this kind. It is never `None`; the type is the
            /// one of [`Response::payload`](crate::game::Response::payload), so that a payload is
            /// not moved after it was read.
            #[inline(always)]
            pub(crate) fn read(kind: Kind, bytes: &'a [u8]) -> Result<Option<Self>, DecodeError> {
                match kind {
                    $( Kind::$name => {
                        let mut read = Ok(Some(Self::$name($name::default())));
                        if let Ok(Some(Self::$name(payload))) = &mut read
                            && let Err(error) = payload.read_whole(bytes, Rules::VIEW)
                        {
                            read = Err(error);
                        }
                        read
                    } )*
                }
            }

            /// Which kind it is.
            #[inline]
            pub const fn kind(&self) -> Kind {
                match self {
                    $( Self::$name(_) => Kind::$name, )*
                }
            }
        }

        $(
            impl<'a> ResponsePayload<'a> for $name<'a> {
                const KIND: Kind = Kind::$name;

                #[inline]
                fn of<'p>(payload: &'p Payload<'a>) -> Option<&'p Self> {
                    match payload {
                        Payload::$name(payload) => Some(payload),
                        _ => None,
                    }
                }
            }

            impl<'a> From<$name<'a>> for Payload<'a> {
                #[inline]
                fn from(payload: $name<'a>) -> Self {
                    Self::$name(payload)
                }
            }
        )*
    };
}

payloads! {
    JoinRoom = 1000 "JOIN_ROOM" "[Response_JoinRoom.ext]";
    ListUsers = 1001 "LIST_USERS" "[Response_ListUsers.ext]";
    GetGamesOfUser = 1002 "GET_GAMES_OF_USER" "[Response_GetGamesOfUser.ext]";
    GetUserInfo = 1003 "GET_USER_INFO" "[Response_GetUserInfo.ext]";
    DumpZone = 1004 "DUMP_ZONE" "[Response_DumpZone.ext]";
    Login = 1005 "LOGIN" "[Response_Login.ext]";
    DeckList = 1006 "DECK_LIST" "[Response_DeckList.ext]";
    DeckDownload = 1007 "DECK_DOWNLOAD" "[Response_DeckDownload.ext]";
    DeckUpload = 1008 "DECK_UPLOAD" "[Response_DeckUpload.ext]";
    Register = 1009 "REGISTER" "[Response_Register.ext]";
    Activate = 1010 "ACTIVATE" "[Response_Activate.ext]";
    AdjustMod = 1011 "ADJUST_MOD" "[Response_AdjustMod.ext]";
    BanHistory = 1012 "BAN_HISTORY" "[Response_BanHistory.ext]";
    WarnHistory = 1013 "WARN_HISTORY" "[Response_WarnHistory.ext]";
    WarnList = 1014 "WARN_LIST" "[Response_WarnList.ext]";
    ViewLogHistory = 1015 "VIEW_LOG" "[Response_ViewLogHistory.ext]";
    ForgotPasswordRequest = 1016 "FORGOT_PASSWORD_REQUEST" "[Response_ForgotPasswordRequest.ext]";
    PasswordSalt = 1017 "PASSWORD_SALT" "[Response_PasswordSalt.ext]";
    GetAdminNotes = 1018 "GET_ADMIN_NOTES" "[Response_GetAdminNotes.ext]";
    ReplayList = 1100 "REPLAY_LIST" "[Response_ReplayList.ext]";
    ReplayDownload = 1101 "REPLAY_DOWNLOAD" "[Response_ReplayDownload.ext]";
    ReplayGetCode = 1102 "REPLAY_GET_CODE" "[Response_ReplayGetCode.ext]";
    ListCardArtRules = 1200 "CARD_ART_RULE_LIST" "[Response_ListCardArtRules.ext]";
    ReplayDownloadByGameId = 1203 "REPLAY_DOWNLOAD_BY_GAME_ID" "[Response_ReplayDownloadByGameId.ext]";
    ReportList = 1210 "REPORT_LIST" "[Response_ReportList.ext]";
    ReportUserInfo = 1211 "REPORT_USER_INFO" "[Response_ReportUserInfo.ext]";
    ReportStats = 1212 "REPORT_STATS" "[Response_ReportStats.ext]";
    ReportMyList = 1213 "REPORT_MY_LIST" "[Response_ReportMyList.ext]";
    ReportDetails = 1214 "REPORT_DETAILS" "[Response_ReportDetails.ext]";
    UserSessions = 1215 "GET_USER_SESSIONS" "[Response_UserSessions.ext]";
    UserAlts = 1216 "GET_USER_ALTS" "[Response_UserAlts.ext]";
    ModeratorLastLogins = 1217 "GET_MODERATOR_LAST_LOGINS" "[Response_ModeratorLastLogins.ext]";
    ResetUserPassword = 1218 "RESET_USER_PASSWORD" "[Response_ResetUserPassword.ext]";
    RemoveUserAvatar = 1219 "REMOVE_USER_AVATAR" "[Response_RemoveUserAvatar.ext]";
}
