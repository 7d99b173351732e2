//! What a server sends without being asked: the envelopes, and the two events that a client cannot
//! do without.
//!
//! Every event is an extension of its envelope. Those that are not read here are among the
//! envelope's unknown fields, with their number and bytes; `proto/event.proto` lists the numbers.

use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;

message! {
    /// Something about the session.
    pub struct SessionEvent = "SessionEvent" {
        /// The first message of a server.
        server_identification: optional message ServerIdentification = 500,
            json "[Event_ServerIdentification.ext]";
        /// The last message of a server.
        connection_closed: optional message ConnectionClosed = 1002,
            json "[Event_ConnectionClosed.ext]";
    }

    /// Something in a room.
    pub struct RoomEvent = "RoomEvent" {
        /// Number of the room.
        room_id: optional sint32 = 1;
    }

    /// Things that happened in a game, in order.
    pub struct GameEventContainer = "GameEventContainer" {
        /// Number of the game.
        game_id: optional uint32 = 1;
        /// What happened.
        event_list: repeated message GameEvent = 2;
        /// What it was part of.
        context: optional message GameEventContext = 3;
        /// Seconds since the game began.
        seconds_elapsed: optional uint32 = 4;
        /// Number of the judge who made it happen.
        forced_by_judge: optional uint32 = 5;
    }

    /// Something that a player did.
    pub struct GameEvent = "GameEvent" {
        /// Number of the player.
        player_id: optional sint32 = 1, default -1;
    }

    /// What an event was part of.
    pub struct GameEventContext = "GameEventContext" {}

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

    /// Why a server ends the connection.
    pub struct ConnectionClosed = "Event_ConnectionClosed" {
        /// The reason.
        reason: optional enum CloseReason = 1;
        /// The reason in words.
        reason_str: optional string = 2;
        /// Until when the user is banned, in seconds since 1970.
        end_time: optional uint32 = 3;
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
