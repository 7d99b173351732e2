use crate::game::runtime::macros::message;

message! {
    /// Bans a user, an address or a client.
    pub struct BanFromServer = "Command_BanFromServer" {
        /// Name of the user.
        user_name: optional string = 1;
        /// Network address.
        address: optional string = 2;
        /// For how many minutes; 0 is for ever.
        minutes: optional uint32 = 3;
        /// Reason, for moderators.
        reason: optional string = 4;
        /// Reason, for the user.
        visible_reason: optional string = 5;
        /// Fingerprint of the client.
        clientid: optional string = 6;
        /// How many of the user's last messages to remove.
        remove_messages: optional uint32 = 7;
    }

    /// Asks for the bans of a user.
    pub struct GetBanHistory = "Command_GetBanHistory" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Warns a user.
    pub struct WarnUser = "Command_WarnUser" {
        /// Name of the user.
        user_name: optional string = 1;
        /// Reason.
        reason: optional string = 2;
        /// Fingerprint of the client.
        clientid: optional string = 3;
        /// How many of the user's last messages to remove.
        remove_messages: optional uint32 = 4;
    }

    /// Asks for the warnings of a user.
    pub struct GetWarnHistory = "Command_GetWarnHistory" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Asks which warnings there are to give.
    pub struct GetWarnList = "Command_GetWarnList" {
        /// Name of the moderator.
        mod_name: optional string = 1;
        /// Name of the user to be warned.
        user_name: optional string = 2;
        /// Fingerprint of the user's client.
        user_clientid: optional string = 3;
    }

    /// Searches the chat log.
    pub struct ViewLogHistory = "Command_ViewLogHistory" {
        /// Who said it.
        user_name: optional string = 1;
        /// Network address.
        ip_address: optional string = 2;
        /// Name of the game.
        game_name: optional string = 3;
        /// Number of the game.
        game_id: optional string = 4;
        /// A part of what was said.
        message: optional string = 5;
        /// Where it was said: `room`, `game` or `chat`.
        log_location: repeated string = 6;
        /// How many days back.
        date_range: required uint32 = 7;
        /// How many lines at most.
        maximum_results: optional uint32 = 8;
    }

    /// Gives a moderator access to a recorded game.
    pub struct GrantReplayAccess = "Command_GrantReplayAccess" {
        /// Number of the recording.
        replay_id: optional uint32 = 1;
        /// Name of the moderator.
        moderator_name: optional string = 2;
    }

    /// Activates the account of a user.
    pub struct ForceActivateUser = "Command_ForceActivateUser" {
        /// Name of the user.
        username_to_activate: optional string = 1;
        /// Name of the moderator.
        moderator_name: optional string = 2;
    }

    /// Asks for the notes on a user.
    pub struct GetAdminNotes = "Command_GetAdminNotes" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Replaces the notes on a user.
    pub struct UpdateAdminNotes = "Command_UpdateAdminNotes" {
        /// Name of the user.
        user_name: optional string = 1;
        /// The notes.
        notes: optional string = 2;
    }

    /// Adds a rule for banners.
    pub struct AddCardArtRule = "Command_AddCardArtRule" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Which printing of the card.
        card_provider_id: optional string = 2;
        /// What the rule does.
        mode: optional string = 3;
        /// Why.
        reason: optional string = 4;
    }

    /// Removes a rule for banners.
    pub struct RemoveCardArtRule = "Command_RemoveCardArtRule" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Which printing of the card.
        card_provider_id: optional string = 2;
    }

    /// Asks for the rules for banners.
    pub struct ListCardArtRules = "Command_ListCardArtRules" {}

    /// Asks for the sessions of a user.
    pub struct GetUserSessions = "Command_GetUserSessions" {
        /// Name of the user.
        user_name: optional string = 1;
        /// How many at most.
        limit: optional uint32 = 2, default 110;
    }

    /// Asks for the other accounts of a user.
    pub struct GetUserAlts = "Command_GetUserAlts" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Asks when the moderators were last there.
    pub struct GetModeratorLastLogins = "Command_GetModeratorLastLogins" {}

    /// Removes the portrait of a user.
    pub struct RemoveUserAvatar = "Command_RemoveUserAvatar" {
        /// Name of the user.
        user_name: optional string = 1;
    }
}
