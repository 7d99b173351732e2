// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::extension::family;
use crate::game::runtime::macros::message;

message! {
    GameEventContext = "GameEventContext", "The action that the events of a container belong to." { 100 to max: ContextPayload; }

    ReadyStart = "Context_ReadyStart", "A player is ready, or no longer ready." {}

    Concede = "Context_Concede", "A player conceded." {}

    DeckSelect = "Context_DeckSelect", "A player selected a deck." {
        deck_hash: optional string = 1, "Hash of the deck.";
        sideboard_size: optional int32 = 2, default -1, "Number of cards in the sideboard.";
        deck_list: optional string = 3, "The deck file.";
    }

    UndoDraw = "Context_UndoDraw", "A drawn card was put back." {}

    MoveCard = "Context_MoveCard", "Cards were moved." {}

    Mulligan = "Context_Mulligan", "A player took a mulligan." { number: optional uint32 = 1, "Number of cards in the new hand."; }

    PingChanged = "Context_PingChanged", "The ping times of players changed." {}

    ConnectionStateChanged = "Context_ConnectionStateChanged", "A player was disconnected or reconnected." {}

    SetSideboardLock = "Context_SetSideboardLock", "A sideboard was locked or unlocked." {}

    Unconcede = "Context_Unconcede", "A player revoked a concession." {}

    TransformCard = "Context_TransformCard", "A card was transformed. Newer than the recorded server." {}
}

family! {
    ContextKind, ContextPayload of "GameEventContext", "Context_":
        ReadyStart 1000 READY_START, Concede 1001 CONCEDE, DeckSelect 1002 DECK_SELECT, UndoDraw 1003 UNDO_DRAW, MoveCard 1004 MOVE_CARD,
        Mulligan 1005 MULLIGAN, PingChanged 1006 PING_CHANGED, ConnectionStateChanged 1007 CONNECTION_STATE_CHANGED,
        SetSideboardLock 1008 SET_SIDEBOARD_LOCK, Unconcede 1009 UNCONCEDE, TransformCard 1010 TRANSFORM_CARD,
}
