use crate::game::runtime::macros::message;

message! {
    /// A ban.
    pub struct Ban = "ServerInfo_Ban" {
        /// Number of the moderator's account.
        admin_id: required string = 1;
        /// Name of the moderator.
        admin_name: required string = 2;
        /// When it began.
        ban_time: required string = 3;
        /// Length in minutes.
        ban_length: required string = 4;
        /// Reason, for moderators.
        ban_reason: optional string = 5;
        /// Reason, for the user.
        visible_reason: optional string = 6;
    }

    /// A warning that was given.
    pub struct Warning = "ServerInfo_Warning" {
        /// Who was warned.
        user_name: optional string = 1;
        /// Who warned.
        admin_name: optional string = 2;
        /// Why.
        reason: optional string = 3;
        /// When.
        time_of: optional string = 4;
    }

    /// A line of the chat log.
    pub struct ChatMessage = "ServerInfo_ChatMessage" {
        /// When.
        time: optional string = 1;
        /// Number of the sender's account.
        sender_id: optional string = 2;
        /// Who said it.
        sender_name: optional string = 3;
        /// Network address of the sender.
        sender_ip: optional string = 4;
        /// What was said.
        message: optional string = 5;
        /// Where it was said: room, game or chat.
        target_type: optional string = 6;
        /// Number of the room, game or user.
        target_id: optional string = 7;
        /// Name of the room, game or user.
        target_name: optional string = 8;
    }

    /// A session of a user.
    pub struct UserSession = "ServerInfo_UserSession" {
        /// Whose.
        user_name: optional string = 1;
        /// Network address.
        ip_address: optional string = 2;
        /// Fingerprint of the client.
        clientid: optional string = 3;
        /// When it began, in seconds since 1970.
        start_time: optional uint64 = 4;
        /// When it ended, in seconds since 1970.
        end_time: optional uint64 = 5;
        /// How the client was connected.
        connection_type: optional string = 6;
    }

    /// An account that may be of the same person.
    pub struct UserAlt = "ServerInfo_UserAlt" {
        /// Name.
        user_name: optional string = 1;
        /// E-mail address.
        email: optional string = 2;
        /// Fingerprint of the client.
        clientid: optional string = 3;
        /// When it was registered, in seconds since 1970.
        registration_time: optional uint64 = 4;
        /// Last login, in seconds since 1970.
        last_login: optional uint64 = 5;
        /// Warnings.
        warn_count: optional uint32 = 6;
        /// Bans.
        ban_count: optional uint32 = 7;
        /// Whether it is activated.
        is_active: optional bool = 8;
    }

    /// When a moderator was last there.
    pub struct ModeratorLogin = "ServerInfo_ModeratorLogin" {
        /// Name.
        user_name: optional string = 1;
        /// Last login, in seconds since 1970.
        last_login: optional uint64 = 2;
        /// Bits that say what the user is.
        user_level: optional uint32 = 3;
    }
}
