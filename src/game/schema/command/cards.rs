use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::info::{CardAttribute, Color};

message! {
    /// Shuffles a zone, or a part of it.
    pub struct Shuffle = "Command_Shuffle" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// The first position.
        start: optional sint32 = 2;
        /// The last position; -1 is the end of the zone.
        end: optional sint32 = 3, default -1;
    }

    /// Takes a new hand.
    pub struct Mulligan = "Command_Mulligan" {
        /// Cards of the new hand.
        number: optional uint32 = 7;
    }

    /// Draws cards.
    pub struct DrawCards = "Command_DrawCards" {
        /// How many.
        number: optional uint32 = 1;
    }

    /// Puts the last drawn card back.
    pub struct UndoDraw = "Command_UndoDraw" {}

    /// Turns a card over.
    pub struct FlipCard = "Command_FlipCard" {
        /// Name of the zone.
        zone: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2, default -1;
        /// Whether it lies face down.
        face_down: optional bool = 3;
        /// Power and toughness.
        pt: optional string = 4;
    }

    /// Attaches a card to another one; without a target, takes it off.
    pub struct AttachCard = "Command_AttachCard" {
        /// Zone that it comes from.
        start_zone: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2, default -1;
        /// Number of the player that it goes to.
        target_player_id: optional sint32 = 3, default -1;
        /// Zone that it goes to.
        target_zone: optional string = 4;
        /// Number of the card that it goes to.
        target_card_id: optional sint32 = 5, default -1;
    }

    /// Makes a token.
    pub struct CreateToken = "Command_CreateToken" {
        /// Name of the zone.
        zone: optional string = 1;
        /// What it is called.
        card_name: optional string = 2;
        /// Colour.
        color: optional string = 3;
        /// Power and toughness.
        pt: optional string = 4;
        /// Note on it.
        annotation: optional string = 5;
        /// Whether it vanishes when moved.
        destroy_on_zone_change: optional bool = 6;
        /// Column, or position in the zone.
        x: optional sint32 = 7;
        /// Row on the table.
        y: optional sint32 = 8;
        /// Zone that it goes to.
        target_zone: optional string = 9;
        /// Number of the card that it goes to.
        target_card_id: optional sint32 = 10, default -1;
        /// What it has to do with the target card.
        target_mode: optional enum TargetMode = 11;
        /// Which printing of the card.
        card_provider_id: optional string = 12;
        /// Whether it lies face down.
        face_down: optional bool = 13;
    }

    /// Draws an arrow from a card to a card or a player.
    pub struct CreateArrow = "Command_CreateArrow" {
        /// Number of the player that it comes from.
        start_player_id: optional sint32 = 1, default -1;
        /// Zone that it comes from.
        start_zone: optional string = 2;
        /// Number of the card that it comes from.
        start_card_id: optional sint32 = 3, default -1;
        /// Number of the player that it goes to.
        target_player_id: optional sint32 = 4, default -1;
        /// Zone that it goes to.
        target_zone: optional string = 5;
        /// Number of the card that it goes to.
        target_card_id: optional sint32 = 6, default -1;
        /// Its colour.
        arrow_color: optional message Color = 7;
        /// The phase in which it vanishes.
        delete_in_phase: optional sint32 = 8;
    }

    /// Deletes an arrow.
    pub struct DeleteArrow = "Command_DeleteArrow" {
        /// Number of the arrow.
        arrow_id: optional sint32 = 1, default -1;
    }

    /// Sets an attribute of a card; without a card, of all in the zone.
    pub struct SetCardAttr = "Command_SetCardAttr" {
        /// Name of the zone.
        zone: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2, default -1;
        /// Which attribute.
        attribute: optional enum CardAttribute = 3;
        /// Its new value; of a yes or no, `1` or `0`.
        attr_value: optional string = 4;
    }

    /// Looks at the cards of a zone.
    pub struct DumpZone = "Command_DumpZone" {
        /// Number of the player.
        player_id: optional sint32 = 1, default -1;
        /// Name of the zone.
        zone_name: optional string = 2;
        /// How many cards from the top; -1 is all.
        number_cards: optional sint32 = 3;
        /// Whether counted from the bottom.
        is_reversed: optional bool = 4;
    }

    /// Shows cards to a player, or to all.
    pub struct RevealCards = "Command_RevealCards" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Numbers of the cards; -2 is one by chance.
        card_id: repeated sint32 = 2;
        /// Number of the player that they are shown to; -1 is all.
        player_id: optional sint32 = 3, default -1;
        /// Whether the others may move them.
        grant_write_access: optional bool = 4;
        /// How many cards from the top; -1 is none.
        top_cards: optional sint32 = 5, default -1;
    }

    /// Moves cards.
    pub struct MoveCard = "Command_MoveCard" {
        /// Number of the player that it comes from.
        start_player_id: optional sint32 = 1, default -1;
        /// Zone that it comes from.
        start_zone: optional string = 2;
        /// The cards.
        cards_to_move: optional message CardsToMove = 3;
        /// Number of the player that it goes to.
        target_player_id: optional sint32 = 4, default -1;
        /// Zone that it goes to.
        target_zone: optional string = 5;
        /// Column on the table, or position in the zone; -1 is the end.
        x: optional sint32 = 6, default -1;
        /// Row on the table.
        y: optional sint32 = 7, default -1;
        /// Whether counted from the bottom.
        is_reversed: optional bool = 8;
    }

    /// Changes who sees the top card of a zone.
    pub struct ChangeZoneProperties = "Command_ChangeZoneProperties" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Whether its top card is shown to all.
        always_reveal_top_card: optional bool = 10;
        /// Whether its owner sees its top card.
        always_look_at_top_card: optional bool = 11;
    }

    /// Cards that are moved together.
    pub struct CardsToMove = "ListOfCardsToMove" {
        /// The cards.
        card: repeated message CardToMove = 1;
    }

    /// A card that is moved.
    pub struct CardToMove = "CardToMove" {
        /// Number of the card; in a hidden zone its position.
        card_id: optional sint32 = 1, default -1;
        /// Whether it is to lie face down.
        face_down: optional bool = 2;
        /// Power and toughness.
        pt: optional string = 3;
        /// Whether it is to be tapped.
        tapped: optional bool = 4;
    }
}

enumeration! {
    /// What a token has to do with its target card.
    pub enum TargetMode {
        /// It is attached to it.
        AttachTo = 0 ("ATTACH_TO"),
        /// It replaces it.
        TransformInto = 1 ("TRANSFORM_INTO"),
    }
}
