use crate::game::runtime::macros::message;
use crate::game::schema::info::{Ban, ChatMessage, ModeratorLogin, UserAlt, UserSession, Warning};

message! {
    /// Bans of a user.
    pub struct BanHistory = "Response_BanHistory" {
        /// The bans.
        ban_list: repeated message Ban = 1;
    }

    /// Warnings of a user.
    pub struct WarnHistory = "Response_WarnHistory" {
        /// The warnings.
        warn_list: repeated message Warning = 1;
    }

    /// Warnings that a moderator can choose from.
    pub struct WarnList = "Response_WarnList" {
        /// The texts.
        warning: repeated string = 1;
        /// Name of the user they are for.
        user_name: optional string = 2;
        /// Fingerprint of that user's client.
        user_clientid: optional string = 3;
        /// Numbers that go with the texts.
        warning_il: repeated uint32 = 4;
    }

    /// Lines of the chat log.
    pub struct ViewLogHistory = "Response_ViewLogHistory" {
        /// The lines.
        log_message: repeated message ChatMessage = 1;
    }

    /// What moderators noted about a user.
    pub struct GetAdminNotes = "Response_GetAdminNotes" {
        /// Name of the user.
        user_name: optional string = 1;
        /// The notes.
        notes: optional string = 2;
    }

    /// Rules about which card art may be shown.
    pub struct ListCardArtRules = "Response_ListCardArtRules" {
        /// The rules.
        entries: repeated message CardArtRule = 1;
    }

    /// A rule about which card art may be shown.
    pub struct CardArtRule = "Response_CardArtRuleEntry" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Which printing of the card.
        card_provider_id: optional string = 2;
        /// What the rule says.
        mode: optional string = 3;
        /// Why.
        reason: optional string = 4;
    }

    /// Sessions of a user. An addition of newer servers.
    pub struct UserSessions = "Response_UserSessions" {
        /// The sessions.
        sessions: repeated message UserSession = 1;
    }

    /// Accounts that may be of the same person. An addition of newer servers.
    pub struct UserAlts = "Response_UserAlts" {
        /// The accounts.
        alts: repeated message UserAlt = 1;
    }

    /// When each moderator was last there. An addition of newer servers.
    pub struct ModeratorLastLogins = "Response_ModeratorLastLogins" {
        /// The moderators.
        logins: repeated message ModeratorLogin = 1;
    }

    /// Answer to resetting a password. An addition of newer servers.
    pub struct ResetUserPassword = "Response_ResetUserPassword" {
        /// Whose.
        user_name: optional string = 1;
        /// The new password.
        temporary_password: optional string = 2, is secret;
    }

    /// Answer to removing a portrait. An addition of newer servers.
    pub struct RemoveUserAvatar = "Response_RemoveUserAvatar" {
        /// Whose.
        user_name: optional string = 1;
    }
}
