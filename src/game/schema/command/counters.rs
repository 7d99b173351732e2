use crate::game::runtime::macros::message;
use crate::game::schema::info::Color;

message! {
    /// Sets a counter on a card.
    pub struct SetCardCounter = "Command_SetCardCounter" {
        /// Name of the zone.
        zone: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2, default -1;
        /// Number of the counter.
        counter_id: optional sint32 = 3, default -1;
        /// Its new value.
        counter_value: optional sint32 = 4;
    }

    /// Changes a counter on a card.
    pub struct IncCardCounter = "Command_IncCardCounter" {
        /// Name of the zone.
        zone: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2, default -1;
        /// Number of the counter.
        counter_id: optional sint32 = 3, default -1;
        /// By how much.
        counter_delta: optional sint32 = 4;
    }

    /// Changes a counter of the player.
    pub struct IncCounter = "Command_IncCounter" {
        /// Number of the counter.
        counter_id: optional sint32 = 1, default -1;
        /// By how much.
        delta: optional sint32 = 2;
    }

    /// Makes a counter of the player.
    pub struct CreateCounter = "Command_CreateCounter" {
        /// Name of the counter.
        counter_name: optional string = 1;
        /// Its colour.
        counter_color: optional message Color = 2;
        /// Its size in pixels.
        radius: optional uint32 = 3;
        /// Its value at the start.
        value: optional sint32 = 4;
    }

    /// Sets a counter of the player.
    pub struct SetCounter = "Command_SetCounter" {
        /// Number of the counter.
        counter_id: optional sint32 = 1, default -1;
        /// Its new value.
        value: optional sint32 = 2;
    }

    /// Deletes a counter of the player.
    pub struct DelCounter = "Command_DelCounter" {
        /// Number of the counter.
        counter_id: optional sint32 = 1, default -1;
    }

    /// Makes a counter of how often a card was cast.
    ///
    /// Newer than the recorded server.
    pub struct CreateCastCount = "Command_CreateCastCount" {
        /// Number of the counter.
        index: optional sint32 = 1, default 1;
    }
}
