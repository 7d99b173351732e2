use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;

message! {
    /// A zone of a player: hand, library, table and so on.
    pub struct Zone = "ServerInfo_Zone" {
        /// Name.
        name: optional string = 1;
        /// Who sees it.
        r#type: optional enum ZoneType = 2, json "type";
        /// Whether its cards have columns and rows.
        with_coords: optional bool = 3;
        /// Cards in it.
        card_count: optional sint32 = 4;
        /// The cards, as far as they are shown.
        card_list: repeated message Card = 5;
        /// Whether its top card is shown to all.
        always_reveal_top_card: optional bool = 10;
        /// Whether its owner sees its top card.
        always_look_at_top_card: optional bool = 11;
    }

    /// A card on the table or in a zone. Hidden cards have a number only.
    pub struct Card = "ServerInfo_Card" {
        /// Number of the card within its zone.
        id: optional sint32 = 1, default -1;
        /// Name.
        name: optional string = 2;
        /// Column on the table.
        x: optional sint32 = 3, default -1;
        /// Row on the table.
        y: optional sint32 = 4, default -1;
        /// Whether it lies face down.
        face_down: optional bool = 5;
        /// Whether it is tapped.
        tapped: optional bool = 6;
        /// Whether it attacks.
        attacking: optional bool = 7;
        /// Colour, for a token.
        color: optional string = 8;
        /// Power and toughness.
        pt: optional string = 9;
        /// Note on it.
        annotation: optional string = 10;
        /// Whether it vanishes when moved, as a token does.
        destroy_on_zone_change: optional bool = 11;
        /// Whether it stays tapped in the untap step.
        doesnt_untap: optional bool = 12;
        /// Counters on it.
        counter_list: repeated message CardCounter = 13;
        /// Whose card it is attached to.
        attach_player_id: optional sint32 = 14, default -1;
        /// Zone of the card it is attached to.
        attach_zone: optional string = 15;
        /// Number of the card it is attached to.
        attach_card_id: optional sint32 = 16, default -1;
        /// Which printing of the card.
        provider_id: optional string = 17;
    }

    /// A counter on a card.
    pub struct CardCounter = "ServerInfo_CardCounter" {
        /// Number of the counter.
        id: optional sint32 = 1;
        /// Its value.
        value: optional sint32 = 2;
    }
}

enumeration! {
    /// Who sees the cards of a zone.
    pub enum ZoneType {
        /// Its owner.
        PrivateZone = 0,
        /// Everybody.
        PublicZone = 1,
        /// Nobody.
        HiddenZone = 2,
    }
}
