use super::GameCommand;
use crate::game::runtime::macros::message;
use crate::game::schema::info::Playmat;

message! {
    /// Throws a player out. For the host and for moderators.
    pub struct KickFromGame = "Command_KickFromGame" {
        /// Number of the player.
        player_id: optional sint32 = 1, default -1;
    }

    /// Leaves the game.
    pub struct LeaveGame = "Command_LeaveGame" {}

    /// Says something in the game.
    pub struct GameSay = "Command_GameSay" {
        /// The text.
        message: optional string = 1;
    }

    /// Rolls dice.
    pub struct RollDie = "Command_RollDie" {
        /// Sides of a die.
        sides: optional uint32 = 1;
        /// How many dice.
        count: optional uint32 = 2;
    }

    /// Is ready, or not; the game starts when all are.
    pub struct ReadyStart = "Command_ReadyStart" {
        /// Whether ready.
        ready: optional bool = 1;
        /// Whether to start without those who are not ready. For the host.
        force_start: optional bool = 2;
    }

    /// Gives up.
    pub struct Concede = "Command_Concede" {}

    /// Ends the turn.
    pub struct NextTurn = "Command_NextTurn" {}

    /// Goes to a phase of the turn.
    pub struct SetActivePhase = "Command_SetActivePhase" {
        /// Number of the phase.
        phase: optional uint32 = 1;
    }

    /// Plans which cards to exchange before the next game.
    pub struct SetSideboardPlan = "Command_SetSideboardPlan" {
        /// The moves.
        move_list: repeated message MoveToZone = 1;
    }

    /// Chooses a deck: as text, or a stored one.
    pub struct DeckSelect = "Command_DeckSelect" {
        /// The deck file.
        deck: optional string = 1;
        /// Number of the stored deck, which goes before the text.
        deck_id: optional sint32 = 2, default -1;
    }

    /// Locks the sideboard, or unlocks it.
    pub struct SetSideboardLock = "Command_SetSideboardLock" {
        /// Whether it is locked.
        locked: optional bool = 1;
    }

    /// Takes giving up back.
    pub struct Unconcede = "Command_Unconcede" {}

    /// Does something in the place of a player. For judges.
    pub struct Judge = "Command_Judge" {
        /// Number of the player in whose place it is done.
        target_id: optional sint32 = 1, default -1;
        /// What is done.
        game_command: repeated message GameCommand = 2;
    }

    /// Reverses the order of turns.
    pub struct ReverseTurn = "Command_ReverseTurn" {}

    /// Chooses the picture of the table.
    pub struct SetPlaymat = "Command_SetPlaymat" {
        /// The picture.
        playmat_params: optional message Playmat = 1;
    }

    /// Sets the order of the players.
    ///
    /// Newer than the recorded server.
    pub struct SetPlayerOrder = "Command_SetPlayerOrder" {
        /// Names of the players.
        player_names: repeated string = 1;
        /// Whether the order is left to chance.
        randomize: optional bool = 2;
    }

    /// A card that is to change between main deck and sideboard.
    pub struct MoveToZone = "MoveCard_ToZone" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Zone that it comes from: `main` or `side`.
        start_zone: optional string = 2;
        /// Zone that it goes to: `main` or `side`.
        target_zone: optional string = 3;
    }
}
