// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::extension::family;
use crate::game::runtime::macros::message;

message! {
    /// The action that the events of a container belong to.
    pub struct GameEventContext = "GameEventContext" {
        100 to max: ContextPayload;
    }

    /// A player is ready, or no longer ready.
    pub struct ReadyStart = "Context_ReadyStart" {}

    /// A player conceded.
    pub struct Concede = "Context_Concede" {}

    /// A player selected a deck.
    pub struct DeckSelect = "Context_DeckSelect" {
        deck_hash: optional string = 1, "Hash of the deck.";
        sideboard_size: optional int32 = 2, default -1, "Number of cards in the sideboard.";
        deck_list: optional string = 3, "The deck file.";
    }

    /// A drawn card was put back.
    pub struct UndoDraw = "Context_UndoDraw" {}

    /// Cards were moved.
    pub struct MoveCard = "Context_MoveCard" {}

    /// A player took a mulligan.
    pub struct Mulligan = "Context_Mulligan" {
        number: optional uint32 = 1, "Number of cards in the new hand.";
    }

    /// The ping times of players changed.
    pub struct PingChanged = "Context_PingChanged" {}

    /// A player was disconnected or reconnected.
    pub struct ConnectionStateChanged = "Context_ConnectionStateChanged" {}

    /// A sideboard was locked or unlocked.
    pub struct SetSideboardLock = "Context_SetSideboardLock" {}

    /// A player revoked a concession.
    pub struct Unconcede = "Context_Unconcede" {}

    /// A card was transformed. Newer than the recorded server.
    pub struct TransformCard = "Context_TransformCard" {}
}

family! {
    /// The kinds of payloads of `GameEventContext`.
    pub enum ContextKind;
    /// A payload of `GameEventContext`.
    pub enum ContextPayload;

    ReadyStart = 1000 "READY_START" "[Context_ReadyStart.ext]";
    Concede = 1001 "CONCEDE" "[Context_Concede.ext]";
    DeckSelect = 1002 "DECK_SELECT" "[Context_DeckSelect.ext]";
    UndoDraw = 1003 "UNDO_DRAW" "[Context_UndoDraw.ext]";
    MoveCard = 1004 "MOVE_CARD" "[Context_MoveCard.ext]";
    Mulligan = 1005 "MULLIGAN" "[Context_Mulligan.ext]";
    PingChanged = 1006 "PING_CHANGED" "[Context_PingChanged.ext]";
    ConnectionStateChanged = 1007 "CONNECTION_STATE_CHANGED" "[Context_ConnectionStateChanged.ext]";
    SetSideboardLock = 1008 "SET_SIDEBOARD_LOCK" "[Context_SetSideboardLock.ext]";
    Unconcede = 1009 "UNCONCEDE" "[Context_Unconcede.ext]";
    TransformCard = 1010 "TRANSFORM_CARD" "[Context_TransformCard.ext]";
}
