// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::extension::family;
use crate::game::runtime::macros::message;
use crate::game::schema::generated::info::{
    Ban, ChatMessage, DeckFolder, DeckItem, DeckShareSummary, Game, ModeratorLogin, ReplayMatch,
    Report, ReportCategoryCount, ReportTopUser, Room, SharedDeck, User, UserAlt, UserSession,
    Warning, Zone,
};

message! {
    /// Answer to a login.
    pub struct Login = "Response_Login" {
        user_info: optional message User = 1, "The user that is logged in.";
        buddy_list: repeated message User = 2, "The user's buddies.";
        ignore_list: repeated message User = 3, "The users that the user ignores.";
        denied_reason_str: optional string = 4, "Why the login was refused.";
        denied_end_time: optional uint64 = 5, "When the ban ends, in seconds since 1970; 0 for a permanent ban.";
        missing_features: repeated string = 6, "The features that the server requires and the client lacks.";
    }

    /// Answer to a registration that was refused.
    pub struct Register = "Response_Register" {
        denied_reason_str: optional string = 1, "Reason.";
        denied_end_time: optional uint64 = 2, "When the ban ends, in seconds since 1970.";
    }

    /// Answer to an activation. Never sent.
    pub struct Activate = "Response_Activate" {}

    /// Answer to a change of a user's rights. Never sent.
    pub struct AdjustMod = "Response_AdjustMod" {}

    /// Answer to the request for a password reset.
    pub struct ForgotPasswordRequest = "Response_ForgotPasswordRequest" {
        challenge_email: optional bool = 1, "Whether the server requires the e-mail address.";
    }

    /// The salt to hash a password with.
    pub struct PasswordSalt = "Response_PasswordSalt" {
        password_salt: optional string = 1, "The salt, 16 characters.";
    }

    /// The stored decks.
    pub struct DeckList = "Response_DeckList" {
        root: optional message DeckFolder = 1, "The root folder.";
    }

    /// A stored deck.
    pub struct DeckDownload = "Response_DeckDownload" {
        deck: optional string = 1, "The deck file.";
    }

    /// Answer to storing a deck.
    pub struct DeckUpload = "Response_DeckUpload" {
        new_file: optional message DeckItem = 1, "The stored deck.";
    }

    /// A new link that shares decks. Newer than the recorded server.
    /// Extension 1103 of `Response` in newer servers.
    pub struct DeckShareCreate = "Response_DeckShareCreate" {
        token: optional string = 1, is secret, "The token of the link.";
        expires_at: optional uint64 = 2, "When it expires, in seconds since 1970.";
        item_count: optional uint32 = 3, "Number of decks.";
    }

    /// The decks that a link shares. Newer than the recorded server.
    /// Extension 1104 of `Response` in newer servers.
    pub struct DeckShareList = "Response_DeckShareList" {
        name: optional string = 1, "Name.";
        expires_at: optional uint64 = 2, "When it expires, in seconds since 1970.";
        items: repeated message SharedDeck = 3, "The decks.";
    }

    /// A deck that a link shares. Newer than the recorded server.
    /// Extension 1105 of `Response` in newer servers.
    pub struct DeckShareDownload = "Response_DeckShareDownload" {
        deck: optional string = 1, "The deck file.";
    }

    /// The user's links. Newer than the recorded server.
    /// Extension 1106 of `Response` in newer servers.
    pub struct DeckShareListMine = "Response_DeckShareListMine" {
        shares: repeated message DeckShareSummary = 1, "The links.";
    }

    /// Bans of a user.
    pub struct BanHistory = "Response_BanHistory" {
        ban_list: repeated message Ban = 1, "The bans.";
    }

    /// Warnings of a user.
    pub struct WarnHistory = "Response_WarnHistory" {
        warn_list: repeated message Warning = 1, "The warnings.";
    }

    /// Warnings that a moderator can choose from.
    pub struct WarnList = "Response_WarnList" {
        warning: repeated string = 1, "The texts.";
        user_name: optional string = 2, "Name of the user to be warned.";
        user_clientid: optional string = 3, "Fingerprint of that user's client.";
        warning_il: repeated uint32 = 4, "Numbers that go with the texts.";
    }

    /// Lines of the chat log.
    pub struct ViewLogHistory = "Response_ViewLogHistory" {
        log_message: repeated message ChatMessage = 1, "The lines.";
    }

    /// The notes of moderators on a user.
    pub struct GetAdminNotes = "Response_GetAdminNotes" {
        user_name: optional string = 1, "Name of the user.";
        notes: optional string = 2, "The notes.";
    }

    /// A rule about which card art may be shown.
    pub struct CardArtRule = "Response_CardArtRuleEntry" {
        card_name: optional string = 1, "Name of the card.";
        card_provider_id: optional string = 2, "Printing of the card.";
        mode: optional string = 3, "The type of the rule.";
        reason: optional string = 4, "Reason.";
    }

    /// Rules about which card art may be shown.
    pub struct ListCardArtRules = "Response_ListCardArtRules" {
        entries: repeated message CardArtRule = 1, "The rules.";
    }

    /// Sessions of a user. Newer than the recorded server.
    pub struct UserSessions = "Response_UserSessions" {
        sessions: repeated message UserSession = 1, "The sessions.";
    }

    /// Accounts that may belong to the same person. Newer than the recorded server.
    pub struct UserAlts = "Response_UserAlts" {
        alts: repeated message UserAlt = 1, "The accounts.";
    }

    /// The last login of each moderator. Newer than the recorded server.
    pub struct ModeratorLastLogins = "Response_ModeratorLastLogins" {
        logins: repeated message ModeratorLogin = 1, "The moderators.";
    }

    /// Answer to resetting a password. Newer than the recorded server.
    pub struct ResetUserPassword = "Response_ResetUserPassword" {
        user_name: optional string = 1, "Name of the user.";
        temporary_password: optional string = 2, is secret, "The new password.";
    }

    /// Answer to removing an avatar. Newer than the recorded server.
    pub struct RemoveUserAvatar = "Response_RemoveUserAvatar" {
        user_name: optional string = 1, "Name of the user.";
    }

    /// The recorded matches of the user.
    pub struct ReplayList = "Response_ReplayList" {
        match_list: repeated message ReplayMatch = 1, "The matches.";
    }

    /// A recorded game.
    pub struct ReplayDownload = "Response_ReplayDownload" {
        replay_data: optional bytes = 1, "The recording: the bytes of a `GameReplay`.";
    }

    /// A code that gives others access to a recording.
    pub struct ReplayGetCode = "Response_ReplayGetCode" {
        replay_code: optional string = 1, is secret, "The code.";
    }

    /// A recorded game, by the number of the game. Newer than the recorded server.
    pub struct ReplayDownloadByGameId = "Response_ReplayDownloadByGameId" {
        replay_data: optional bytes = 1, "The recording: the bytes of a `GameReplay`.";
        replay_id: optional sint32 = 2, "Number of the recording.";
    }

    /// Reports. Newer than the recorded server.
    pub struct ReportList = "Response_ReportList" {
        reports: repeated message Report = 1, "The reports of this page.";
        total_count: optional uint32 = 2, "The total number of reports.";
    }

    /// A summary of a reported user. Newer than the recorded server.
    pub struct ReportUserInfo = "Response_ReportUserInfo" {
        user_name: optional string = 1, "Name.";
        total_reports: optional int32 = 2, "Number of reports about the user.";
        total_bans: optional int32 = 3, "Number of bans.";
        total_warns: optional int32 = 4, "Number of warnings.";
        registration_time: optional int64 = 5, "When the account was registered, in seconds since 1970.";
        is_admin: optional bool = 6, "Whether the user is an administrator.";
        is_active: optional bool = 7, "Whether the account is activated.";
        admin_notes: optional string = 8, "The notes of moderators.";
        recent_reports: repeated message Report = 9, "The latest reports.";
        last_login: optional int64 = 10, "Last login, in seconds since 1970.";
    }

    /// Statistics about reports. Newer than the recorded server.
    pub struct ReportStats = "Response_ReportStats" {
        total_reports: optional int32 = 1, "Total number of reports.";
        total_pending: optional int32 = 2, "Reports that no moderator handles yet.";
        total_assigned: optional int32 = 3, "Reports that a moderator handles.";
        total_resolved: optional int32 = 4, "Resolved reports.";
        reports_last_24h: optional int32 = 5, "Reports in the last 24 hours.";
        reports_last_7d: optional int32 = 6, "Reports in the last 7 days.";
        reports_last_30d: optional int32 = 7, "Reports in the last 30 days.";
        avg_resolution_hours: optional double = 8, "Average time to resolution, in hours.";
        reports_this_week: optional int32 = 9, "Reports this week.";
        reports_last_week: optional int32 = 10, "Reports last week.";
        category_counts: repeated message ReportCategoryCount = 11, "Reports by category.";
        top_reported_users: repeated message ReportTopUser = 12, "The users who are reported most.";
        top_reporters: repeated message ReportTopUser = 13, "The users who report most.";
    }

    /// The caller's own reports. Newer than the recorded server.
    pub struct ReportMyList = "Response_ReportMyList" {
        reports: repeated message Report = 1, "The reports.";
    }

    /// A report. Newer than the recorded server.
    pub struct ReportDetails = "Response_ReportDetails" {
        report: optional message Report = 1, "The report.";
    }

    /// Answer to joining a room.
    pub struct JoinRoom = "Response_JoinRoom" {
        room_info: optional message Room = 1, "The room, with its games and users.";
    }

    /// Everybody who is logged in.
    pub struct ListUsers = "Response_ListUsers" {
        user_list: repeated message User = 1, "The users.";
    }

    /// The games that a user is in.
    pub struct GetGamesOfUser = "Response_GetGamesOfUser" {
        room_list: repeated message Room = 1, "The rooms of the games.";
        game_list: repeated message Game = 2, "The games.";
    }

    /// The data of a user.
    pub struct GetUserInfo = "Response_GetUserInfo" {
        user_info: optional message User = 1, "The user.";
    }

    /// The cards of a zone that was looked at.
    pub struct DumpZone = "Response_DumpZone" {
        zone_info: optional message Zone = 1, "The zone.";
    }

    /// Statistics about a server. Newer than the recorded server.
    /// Extension 1220 of `Response` in newer servers.
    pub struct GetServerStats = "Response_GetServerStats" {
        users_count: optional uint64 = 1, "Number of users online.";
        mods_count: optional uint64 = 2, "Number of moderators online.";
        games_count: optional uint64 = 3, "Number of games.";
        tx_bytes: optional uint64 = 4, "Bytes sent.";
        rx_bytes: optional uint64 = 5, "Bytes received.";
        uptime_secs: optional uint64 = 6, "Uptime in seconds.";
        timest: optional uint64 = 7, "When these statistics were collected.";
    }
}

family! {
    /// The kinds of payloads of `Response`.
    pub enum PayloadKind;
    /// A payload of `Response`.
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
