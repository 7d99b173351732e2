use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::info::{Counter, Player, PlayerProperties};

message! {
    /// Somebody joined the game.
    pub struct Join = "Event_Join" {
        /// The player.
        player_properties: optional message PlayerProperties = 1;
    }

    /// Somebody left the game.
    pub struct Leave = "Event_Leave" {
        /// Why.
        reason: optional enum LeaveReason = 1;
    }

    /// The game is over and gone.
    pub struct GameClosed = "Event_GameClosed" {}

    /// The player is the host now.
    pub struct GameHostChanged = "Event_GameHostChanged" {}

    /// The client was thrown out of the game.
    pub struct Kicked = "Event_Kicked" {}

    /// All there is to know of the game.
    pub struct GameStateChanged = "Event_GameStateChanged" {
        /// The players.
        player_list: repeated message Player = 1;
        /// Whether the game runs.
        game_started: optional bool = 2;
        /// Number of the player whose turn it is; -1 before the start.
        active_player_id: optional sint32 = 3;
        /// Number of the phase; -1 before the start.
        active_phase: optional sint32 = 4;
        /// Seconds since the game began.
        seconds_elapsed: optional uint32 = 5;
        /// Number of the client's own player. Newer than the recorded server.
        local_player_id: optional sint32 = 6;
    }

    /// What has changed of a player, to be merged.
    pub struct PlayerPropertiesChanged = "Event_PlayerPropertiesChanged" {
        /// The player.
        player_properties: optional message PlayerProperties = 1;
    }

    /// The player said something.
    pub struct GameSay = "Event_GameSay" {
        /// The text.
        message: optional string = 1;
    }

    /// The player rolled dice.
    pub struct RollDie = "Event_RollDie" {
        /// Sides of a die.
        sides: optional uint32 = 1;
        /// The first result.
        value: optional uint32 = 2;
        /// All results.
        values: repeated uint32 = 3;
    }

    /// It is the turn of another player.
    pub struct SetActivePlayer = "Event_SetActivePlayer" {
        /// Number of the player whose turn it is; -1 before the start.
        active_player_id: optional sint32 = 1;
    }

    /// Another phase of the turn has begun.
    pub struct SetActivePhase = "Event_SetActivePhase" {
        /// Number of the phase.
        phase: optional sint32 = 1;
    }

    /// The order of turns was reversed.
    pub struct ReverseTurn = "Event_ReverseTurn" {
        /// Whether the order is reversed now.
        reversed: optional bool = 1;
    }

    /// A line for the log of the game.
    pub struct GameLogNotice = "Event_GameLogNotice" {
        /// Which line.
        notice_type: optional enum Notice = 1;
    }

    /// The player has a new counter.
    pub struct CreateCounter = "Event_CreateCounter" {
        /// The counter.
        counter_info: optional message Counter = 1;
    }

    /// A counter of the player has a new value.
    pub struct SetCounter = "Event_SetCounter" {
        /// Number of the counter.
        counter_id: optional sint32 = 1;
        /// Its new value.
        value: optional sint32 = 2;
    }

    /// A counter of the player is gone.
    pub struct DelCounter = "Event_DelCounter" {
        /// Number of the counter.
        counter_id: optional sint32 = 1;
    }

    /// The player has a new counter of casts.
    ///
    /// Newer than the recorded server.
    pub struct CreateCastCount = "Event_CreateCastCount" {
        /// Number of the counter.
        index: optional sint32 = 1, default 1;
    }

    /// A counter of casts is gone.
    ///
    /// Newer than the recorded server.
    pub struct DeleteCastCount = "Event_DeleteCastCount" {
        /// Number of the counter.
        index: optional sint32 = 1, default 1;
    }

    /// A counter of casts has a new value.
    ///
    /// Newer than the recorded server.
    pub struct SetCastCount = "Event_SetCastCount" {
        /// Number of the counter.
        index: optional sint32 = 1, default 1;
        /// Its new value.
        value: optional sint32 = 2;
    }
}

enumeration! {
    /// Why somebody left a game.
    pub enum LeaveReason {
        /// Another reason.
        Other = 1 ("OTHER"),
        /// Thrown out.
        UserKicked = 2 ("USER_KICKED"),
        /// As they wished.
        UserLeft = 3 ("USER_LEFT"),
        /// The connection is gone.
        UserDisconnected = 4 ("USER_DISCONNECTED"),
    }
}

enumeration! {
    /// A line for the log of a game.
    pub enum Notice {
        /// There was no drawn card to put back.
        UndoDrawFailed = 1 ("UNDO_DRAW_FAILED"),
    }
}
