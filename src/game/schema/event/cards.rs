use crate::game::runtime::macros::message;
use crate::game::schema::info::{Arrow, Card, CardAttribute};

message! {
    /// An arrow was drawn.
    pub struct CreateArrow = "Event_CreateArrow" {
        /// The arrow.
        arrow_info: optional message Arrow = 1;
    }

    /// An arrow was deleted.
    pub struct DeleteArrow = "Event_DeleteArrow" {
        /// Number of the arrow.
        arrow_id: optional sint32 = 1;
    }

    /// The player drew cards.
    pub struct DrawCards = "Event_DrawCards" {
        /// How many.
        number: optional sint32 = 1;
        /// The cards, as far as they are shown.
        cards: repeated message Card = 2;
    }

    /// The player showed cards.
    pub struct RevealCards = "Event_RevealCards" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Numbers of the cards.
        card_id: repeated sint32 = 2;
        /// Number of the player that they are shown to; -1 is all.
        other_player_id: optional sint32 = 3, default -1;
        /// The cards, as far as they are shown.
        cards: repeated message Card = 4;
        /// Whether the others may move them.
        grant_write_access: optional bool = 5;
        /// How many cards.
        number_of_cards: optional uint32 = 6;
    }

    /// The player shuffled a zone.
    pub struct Shuffle = "Event_Shuffle" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// The first position.
        start: optional sint32 = 2;
        /// The last position; -1 is the end of the zone.
        end: optional sint32 = 3, default -1;
    }

    /// The player moved a card.
    pub struct MoveCard = "Event_MoveCard" {
        /// Number of the card.
        card_id: optional sint32 = 1, default -1;
        /// Name of the card.
        card_name: optional string = 2;
        /// Number of the player that it comes from.
        start_player_id: optional sint32 = 3, default -1;
        /// Zone that it comes from.
        start_zone: optional string = 4;
        /// Position in the zone that it comes from.
        position: optional sint32 = 5, default -1;
        /// Number of the player that it goes to.
        target_player_id: optional sint32 = 6, default -1;
        /// Zone that it goes to.
        target_zone: optional string = 7;
        /// Column, or position in the zone.
        x: optional sint32 = 8, default -1;
        /// Row on the table.
        y: optional sint32 = 9, default -1;
        /// Number that it has from now on.
        new_card_id: optional sint32 = 10, default -1;
        /// Whether it lies face down.
        face_down: optional bool = 11;
        /// Which printing it is shown as.
        new_card_provider_id: optional string = 12;
    }

    /// The player turned a card over.
    pub struct FlipCard = "Event_FlipCard" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2;
        /// Name of the card.
        card_name: optional string = 3;
        /// Whether it lies face down.
        face_down: optional bool = 4;
        /// Which printing of the card.
        card_provider_id: optional string = 5;
    }

    /// A card is gone.
    pub struct DestroyCard = "Event_DestroyCard" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Number of the card.
        card_id: optional uint32 = 2;
    }

    /// A card was attached to another one; without a target, taken off.
    pub struct AttachCard = "Event_AttachCard" {
        /// Zone that it comes from.
        start_zone: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2;
        /// Number of the player that it goes to.
        target_player_id: optional sint32 = 3;
        /// Zone that it goes to.
        target_zone: optional string = 4;
        /// Number of the card that it goes to.
        target_card_id: optional sint32 = 5;
    }

    /// The player made a token.
    pub struct CreateToken = "Event_CreateToken" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2;
        /// What it is called.
        card_name: optional string = 3;
        /// Colour.
        color: optional string = 4;
        /// Power and toughness.
        pt: optional string = 5;
        /// Note on it.
        annotation: optional string = 6;
        /// Whether it vanishes when moved.
        destroy_on_zone_change: optional bool = 7;
        /// Column, or position in the zone.
        x: optional sint32 = 8;
        /// Row on the table.
        y: optional sint32 = 9;
        /// Which printing of the card.
        card_provider_id: optional string = 10;
        /// Whether it lies face down.
        face_down: optional bool = 11;
    }

    /// An attribute of a card has changed; without a card, of all in the zone.
    pub struct SetCardAttr = "Event_SetCardAttr" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2;
        /// Which attribute.
        attribute: optional enum CardAttribute = 3;
        /// Its new value; of a yes or no, `1` or `0`.
        attr_value: optional string = 4;
    }

    /// A counter on a card has a new value.
    pub struct SetCardCounter = "Event_SetCardCounter" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2;
        /// Number of the counter.
        counter_id: optional sint32 = 3;
        /// Its new value.
        counter_value: optional sint32 = 4;
    }

    /// The player looks at a zone.
    pub struct DumpZone = "Event_DumpZone" {
        /// Number of the player whose zone it is.
        zone_owner_id: optional sint32 = 1;
        /// Name of the zone.
        zone_name: optional string = 2;
        /// How many cards from the top; -1 is all.
        number_cards: optional sint32 = 3;
        /// Whether counted from the bottom.
        is_reversed: optional bool = 4;
    }

    /// Other players see the top card of a zone now, or no longer.
    pub struct ChangeZoneProperties = "Event_ChangeZoneProperties" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Whether its top card is shown to all.
        always_reveal_top_card: optional bool = 10;
        /// Whether its owner sees its top card.
        always_look_at_top_card: optional bool = 11;
    }
}
