use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::info::{Game, GameType, ReplayMatch, Room, User};

message! {
    /// What a server says of itself before anything else.
    pub struct ServerIdentification = "Event_ServerIdentification" {
        /// Name of the server.
        server_name: optional string = 1;
        /// Its release.
        server_version: optional string = 2;
        /// Number of the protocol, 14 at the time of writing; a client must not talk to others.
        protocol_version: optional uint32 = 3;
        /// What it can do.
        server_options: optional enum ServerOptions = 4;
    }

    /// All users and rooms of a server. Between servers only.
    pub struct ServerCompleteList = "Event_ServerCompleteList" {
        /// Number of the server.
        server_id: optional uint32 = 1;
        /// The users.
        user_list: repeated message User = 2;
        /// The rooms.
        room_list: repeated message Room = 3;
    }

    /// The message of the day, as HTML.
    pub struct ServerMessage = "Event_ServerMessage" {
        /// The text.
        message: optional string = 1;
    }

    /// The server will stop.
    pub struct ServerShutdown = "Event_ServerShutdown" {
        /// Reason, as the administrator gave it.
        reason: optional string = 1;
        /// In how many minutes.
        minutes: optional uint32 = 2;
    }

    /// Why a server ends the connection.
    pub struct ConnectionClosed = "Event_ConnectionClosed" {
        /// The reason.
        reason: optional enum CloseReason = 1;
        /// The reason in words.
        reason_str: optional string = 2;
        /// Until when the user is banned, in seconds since 1970.
        end_time: optional uint32 = 3;
    }

    /// What one user says to another.
    pub struct UserMessage = "Event_UserMessage" {
        /// Who says it.
        sender_name: optional string = 1;
        /// To whom.
        receiver_name: optional string = 2;
        /// The text.
        message: optional string = 3;
    }

    /// The rooms; later only what has changed of one, to be merged.
    pub struct ListRooms = "Event_ListRooms" {
        /// The rooms.
        room_list: repeated message Room = 1;
    }

    /// A user was put on a list of one's own.
    pub struct AddToList = "Event_AddToList" {
        /// Name of the list: `buddy` or `ignore`.
        list_name: optional string = 1;
        /// The user.
        user_info: optional message User = 2;
    }

    /// A user was taken off a list of one's own.
    pub struct RemoveFromList = "Event_RemoveFromList" {
        /// Name of the list: `buddy` or `ignore`.
        list_name: optional string = 1;
        /// Name of the user.
        user_name: optional string = 2;
    }

    /// A user came, or has changed.
    pub struct UserJoined = "Event_UserJoined" {
        /// The user.
        user_info: optional message User = 1;
    }

    /// A user left.
    pub struct UserLeft = "Event_UserLeft" {
        /// Name of the user.
        name: optional string = 1;
    }

    /// The client is in a game now.
    pub struct GameJoined = "Event_GameJoined" {
        /// The game.
        game_info: optional message Game = 1;
        /// The room's kinds of games.
        game_types: repeated message GameType = 2;
        /// Number of the host.
        host_id: optional sint32 = 3;
        /// Number of the player.
        player_id: optional sint32 = 4;
        /// Whether as a spectator.
        spectator: optional bool = 5;
        /// Whether the client was in it before.
        resuming: optional bool = 6;
        /// Whether as a judge.
        judge: optional bool = 7;
    }

    /// Something that the user should know.
    pub struct NotifyUser = "Event_NotifyUser" {
        /// What it is about.
        r#type: optional enum Notification = 1, json "type";
        /// Why the user is warned.
        warning_reason: optional string = 2;
        /// A title.
        custom_title: optional string = 3;
        /// A text.
        custom_content: optional string = 4;
    }

    /// There is another recorded match.
    pub struct ReplayAdded = "Event_ReplayAdded" {
        /// The match.
        match_info: optional message ReplayMatch = 1;
    }
}

enumeration! {
    /// Why a server ends the connection.
    pub enum CloseReason {
        /// Another reason, in words.
        Other = 1 ("OTHER"),
        /// The server stops.
        ServerShutdown = 2 ("SERVER_SHUTDOWN"),
        /// Too many connections from this address.
        TooManyConnections = 3 ("TOO_MANY_CONNECTIONS"),
        /// The user is banned.
        Banned = 4 ("BANNED"),
        /// The server does not accept that user name.
        UsernameInvalid = 5 ("USERNAMEINVALID"),
        /// Too many users.
        UserLimitReached = 6 ("USER_LIMIT_REACHED"),
        /// The user lost their rights and must log in again.
        Demoted = 7 ("DEMOTED"),
        /// The user logged in elsewhere.
        LoggedInElsewhere = 8 ("LOGGEDINELSEWERE"),
    }
}

enumeration! {
    /// What a user is told.
    pub enum Notification {
        /// Nothing that the schema knows.
        Unknown = 0 ("UNKNOWN"),
        /// The user has more rights from now on.
        Promoted = 1 ("PROMOTED"),
        /// The user is warned.
        Warning = 2 ("WARNING"),
        /// The user will be disconnected for doing nothing.
        IdleWarning = 3 ("IDLEWARNING"),
        /// What title and text say.
        Custom = 4 ("CUSTOM"),
        /// A report of the user was closed.
        ReportResolved = 5 ("REPORT_RESOLVED"),
        /// Somebody commented on a report of the user.
        ReportComment = 6 ("REPORT_COMMENT"),
    }
}

enumeration! {
    /// What a server can do.
    pub enum ServerOptions {
        /// Nothing of the below.
        NoOptions = 0,
        /// It accepts hashed passwords.
        SupportsPasswordHash = 1,
    }
}
