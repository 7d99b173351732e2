// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::extension::family;
use crate::game::runtime::macros::message;
use crate::game::schema::generated::info::{
    Ban, ChatMessage, DeckFolder, DeckItem, DeckShareSummary, Game, ModeratorLogin, ReplayMatch,
    Report, ReportCategoryCount, ReportTopUser, Room, SharedDeck, User, UserAlt, UserSession,
    Warning, Zone,
};

message! {
    Login = "Response_Login", "Answer to a login." {
        user_info: optional message User = 1, "The user that is logged in.";
        buddy_list: repeated message User = 2, "The user's buddies.";
        ignore_list: repeated message User = 3, "The users that the user ignores.";
        denied_reason_str: optional string = 4, "Why the login was refused.";
        denied_end_time: optional uint64 = 5, "When the ban ends, in seconds since 1970; 0 for a permanent ban.";
        missing_features: repeated string = 6, "The features that the server requires and the client lacks.";
    }

    Register = "Response_Register", "Answer to a registration that was refused." { denied_reason_str: optional string = 1, "Reason."; denied_end_time: optional uint64 = 2, "When the ban ends, in seconds since 1970."; }

    Activate = "Response_Activate", "Answer to an activation. Never sent." {}

    AdjustMod = "Response_AdjustMod", "Answer to a change of a user's rights. Never sent." {}

    ForgotPasswordRequest = "Response_ForgotPasswordRequest", "Answer to the request for a password reset." { challenge_email: optional bool = 1, "Whether the server requires the e-mail address."; }

    PasswordSalt = "Response_PasswordSalt", "The salt to hash a password with." { password_salt: optional string = 1, "The salt, 16 characters."; }

    DeckList = "Response_DeckList", "The stored decks." { root: optional message DeckFolder = 1, "The root folder."; }

    DeckDownload = "Response_DeckDownload", "A stored deck." { deck: optional string = 1, "The deck file."; }

    DeckUpload = "Response_DeckUpload", "Answer to storing a deck." { new_file: optional message DeckItem = 1, "The stored deck."; }

    DeckShareCreate = "Response_DeckShareCreate", "A new link that shares decks. Newer than the recorded server. Extension 1103 of `Response` in newer servers." {
        token: optional string = 1, is secret, "The token of the link.";
        expires_at: optional uint64 = 2, "When it expires, in seconds since 1970.";
        item_count: optional uint32 = 3, "Number of decks.";
    }

    DeckShareList = "Response_DeckShareList", "The decks that a link shares. Newer than the recorded server. Extension 1104 of `Response` in newer servers." {
        name: optional string = 1, "Name.";
        expires_at: optional uint64 = 2, "When it expires, in seconds since 1970.";
        items: repeated message SharedDeck = 3, "The decks.";
    }

    DeckShareDownload = "Response_DeckShareDownload", "A deck that a link shares. Newer than the recorded server. Extension 1105 of `Response` in newer servers." { deck: optional string = 1, "The deck file."; }

    DeckShareListMine = "Response_DeckShareListMine", "The user's links. Newer than the recorded server. Extension 1106 of `Response` in newer servers." { shares: repeated message DeckShareSummary = 1, "The links."; }

    BanHistory = "Response_BanHistory", "Bans of a user." { ban_list: repeated message Ban = 1, "The bans."; }

    WarnHistory = "Response_WarnHistory", "Warnings of a user." { warn_list: repeated message Warning = 1, "The warnings."; }

    WarnList = "Response_WarnList", "Warnings that a moderator can choose from." {
        warning: repeated string = 1, "The texts.";
        user_name: optional string = 2, "Name of the user to be warned.";
        user_clientid: optional string = 3, "Fingerprint of that user's client.";
        warning_il: repeated uint32 = 4, "Numbers that go with the texts.";
    }

    ViewLogHistory = "Response_ViewLogHistory", "Lines of the chat log." { log_message: repeated message ChatMessage = 1, "The lines."; }

    GetAdminNotes = "Response_GetAdminNotes", "The notes of moderators on a user." { user_name: optional string = 1, "Name of the user."; notes: optional string = 2, "The notes."; }

    CardArtRule = "Response_CardArtRuleEntry", "A rule about which card art may be shown." {
        card_name: optional string = 1, "Name of the card.";
        card_provider_id: optional string = 2, "Printing of the card.";
        mode: optional string = 3, "The type of the rule.";
        reason: optional string = 4, "Reason.";
    }

    ListCardArtRules = "Response_ListCardArtRules", "Rules about which card art may be shown." { entries: repeated message CardArtRule = 1, "The rules."; }

    UserSessions = "Response_UserSessions", "Sessions of a user. Newer than the recorded server." { sessions: repeated message UserSession = 1, "The sessions."; }

    UserAlts = "Response_UserAlts", "Accounts that may belong to the same person. Newer than the recorded server." { alts: repeated message UserAlt = 1, "The accounts."; }

    ModeratorLastLogins = "Response_ModeratorLastLogins", "The last login of each moderator. Newer than the recorded server." { logins: repeated message ModeratorLogin = 1, "The moderators."; }

    ResetUserPassword = "Response_ResetUserPassword", "Answer to resetting a password. Newer than the recorded server." {
        user_name: optional string = 1, "Name of the user.";
        temporary_password: optional string = 2, is secret, "The new password.";
    }

    RemoveUserAvatar = "Response_RemoveUserAvatar", "Answer to removing an avatar. Newer than the recorded server." { user_name: optional string = 1, "Name of the user."; }

    ReplayList = "Response_ReplayList", "The recorded matches of the user." { match_list: repeated message ReplayMatch = 1, "The matches."; }

    ReplayDownload = "Response_ReplayDownload", "A recorded game." { replay_data: optional bytes = 1, "The recording: the bytes of a `GameReplay`."; }

    ReplayGetCode = "Response_ReplayGetCode", "A code that gives others access to a recording." { replay_code: optional string = 1, is secret, "The code."; }

    ReplayDownloadByGameId = "Response_ReplayDownloadByGameId", "A recorded game, by the number of the game. Newer than the recorded server." {
        replay_data: optional bytes = 1, "The recording: the bytes of a `GameReplay`.";
        replay_id: optional sint32 = 2, "Number of the recording.";
    }

    ReportList = "Response_ReportList", "Reports. Newer than the recorded server." { reports: repeated message Report = 1, "The reports of this page."; total_count: optional uint32 = 2, "The total number of reports."; }

    ReportUserInfo = "Response_ReportUserInfo", "A summary of a reported user. Newer than the recorded server." {
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

    ReportStats = "Response_ReportStats", "Statistics about reports. Newer than the recorded server." {
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

    ReportMyList = "Response_ReportMyList", "The caller's own reports. Newer than the recorded server." { reports: repeated message Report = 1, "The reports."; }

    ReportDetails = "Response_ReportDetails", "A report. Newer than the recorded server." { report: optional message Report = 1, "The report."; }

    JoinRoom = "Response_JoinRoom", "Answer to joining a room." { room_info: optional message Room = 1, "The room, with its games and users."; }

    ListUsers = "Response_ListUsers", "Everybody who is logged in." { user_list: repeated message User = 1, "The users."; }

    GetGamesOfUser = "Response_GetGamesOfUser", "The games that a user is in." { room_list: repeated message Room = 1, "The rooms of the games."; game_list: repeated message Game = 2, "The games."; }

    GetUserInfo = "Response_GetUserInfo", "The data of a user." { user_info: optional message User = 1, "The user."; }

    DumpZone = "Response_DumpZone", "The cards of a zone that was looked at." { zone_info: optional message Zone = 1, "The zone."; }

    GetServerStats = "Response_GetServerStats", "Statistics about a server. Newer than the recorded server. Extension 1220 of `Response` in newer servers." {
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
    #[doc(alias = "ResponseType")]
    PayloadKind, Payload of "Response", "Response_":
        JoinRoom 1000 JOIN_ROOM, ListUsers 1001 LIST_USERS, GetGamesOfUser 1002 GET_GAMES_OF_USER, GetUserInfo 1003 GET_USER_INFO, DumpZone 1004 DUMP_ZONE,
        Login 1005 LOGIN, DeckList 1006 DECK_LIST, DeckDownload 1007 DECK_DOWNLOAD, DeckUpload 1008 DECK_UPLOAD, Register 1009 REGISTER,
        Activate 1010 ACTIVATE, AdjustMod 1011 ADJUST_MOD, BanHistory 1012 BAN_HISTORY, WarnHistory 1013 WARN_HISTORY, WarnList 1014 WARN_LIST,
        ViewLogHistory 1015 VIEW_LOG, ForgotPasswordRequest 1016 FORGOT_PASSWORD_REQUEST, PasswordSalt 1017 PASSWORD_SALT,
        GetAdminNotes 1018 GET_ADMIN_NOTES, ReplayList 1100 REPLAY_LIST, ReplayDownload 1101 REPLAY_DOWNLOAD, ReplayGetCode 1102 REPLAY_GET_CODE,
        ListCardArtRules 1200 CARD_ART_RULE_LIST, ReplayDownloadByGameId 1203 REPLAY_DOWNLOAD_BY_GAME_ID, ReportList 1210 REPORT_LIST,
        ReportUserInfo 1211 REPORT_USER_INFO, ReportStats 1212 REPORT_STATS, ReportMyList 1213 REPORT_MY_LIST, ReportDetails 1214 REPORT_DETAILS,
        UserSessions 1215 GET_USER_SESSIONS, UserAlts 1216 GET_USER_ALTS, ModeratorLastLogins 1217 GET_MODERATOR_LAST_LOGINS,
        ResetUserPassword 1218 RESET_USER_PASSWORD, RemoveUserAvatar 1219 REMOVE_USER_AVATAR,
}
