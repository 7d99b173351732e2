use super::account::{Activate, AdjustMod, ForgotPasswordRequest, Login, PasswordSalt, Register};
use super::deck::{DeckDownload, DeckList, DeckUpload};
use super::moderation::{
    BanHistory, GetAdminNotes, ListCardArtRules, ModeratorLastLogins, RemoveUserAvatar,
    ResetUserPassword, UserAlts, UserSessions, ViewLogHistory, WarnHistory, WarnList,
};
use super::replay::{ReplayDownload, ReplayDownloadByGameId, ReplayGetCode, ReplayList};
use super::report::{ReportDetails, ReportList, ReportMyList, ReportStats, ReportUserInfo};
use super::room::{DumpZone, GetGamesOfUser, GetUserInfo, JoinRoom, ListUsers};
use crate::game::runtime::extension::{Member, family};

/// A message that is the payload of a [`Response`](crate::game::Response).
pub trait ResponsePayload<'a>: Member<'a, Family = Payload<'a>> {}

impl<'a, P: Member<'a, Family = Payload<'a>>> ResponsePayload<'a> for P {}

family! {
    /// Which payload an answer has (docs/ARCHITECTURE.md, "The reader"), the additions of newer
    /// servers included.
    pub enum Kind;
    /// A payload of any kind.
    pub enum Payload;

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
