use super::user::User;
use super::zone::Zone;
use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;

message! {
    /// A player, with all that lies before them.
    pub struct Player = "ServerInfo_Player" {
        /// Who it is.
        properties: optional message PlayerProperties = 1;
        /// The deck file, for the player.
        deck_list: optional string = 2;
        /// The player's zones.
        zone_list: repeated message Zone = 3;
        /// The player's counters.
        counter_list: repeated message Counter = 4;
        /// The player's arrows.
        arrow_list: repeated message Arrow = 5;
    }

    /// Who a player is, and how they are doing. In an event only what has changed.
    pub struct PlayerProperties = "ServerInfo_PlayerProperties" {
        /// Number of the player within the game.
        player_id: optional sint32 = 1;
        /// The user.
        user_info: optional message User = 2;
        /// Whether as a spectator.
        spectator: optional bool = 3;
        /// Whether they gave up.
        conceded: optional bool = 4;
        /// Whether they are ready.
        ready_start: optional bool = 5;
        /// Fingerprint of the deck.
        deck_hash: optional string = 6;
        /// For how many seconds they were silent; -1 if they are cut off.
        ping_seconds: optional sint32 = 7;
        /// Whether the sideboard is locked.
        sideboard_locked: optional bool = 8;
        /// Whether as a judge.
        judge: optional bool = 9;
        /// The picture of the table.
        playmat_params: optional message Playmat = 10;
    }

    /// The picture of a table, cut out of a card's picture.
    pub struct Playmat = "ServerInfo_PlayerProperties.PlaymatParams" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Which printing of the card.
        card_provider_id: optional string = 2;
        /// Share cut off at the left.
        margin_pct_l: optional double = 3, default 0.07;
        /// Share cut off at the right.
        margin_pct_r: optional double = 4, default 0.07;
        /// Where it is cut vertically.
        vertical_offset: optional double = 5, default 0.33;
        /// Magnification.
        zoom: optional double = 6, default 1.0;
    }

    /// A counter of a player: life and the like.
    pub struct Counter = "ServerInfo_Counter" {
        /// Number of the counter.
        id: optional sint32 = 1;
        /// Name of the counter.
        name: optional string = 2;
        /// Its colour.
        counter_color: optional message Color = 3;
        /// Its size in pixels.
        radius: optional sint32 = 4;
        /// Its value.
        count: optional sint32 = 5;
        /// Whether it is shown. Newer than the recorded server.
        active: optional bool = 6, default true;
    }

    /// An arrow from a card to a card or a player.
    pub struct Arrow = "ServerInfo_Arrow" {
        /// Number of the arrow.
        id: optional sint32 = 1;
        /// Number of the player that it comes from.
        start_player_id: optional sint32 = 2;
        /// Zone that it comes from.
        start_zone: optional string = 3;
        /// Number of the card that it comes from.
        start_card_id: optional sint32 = 4;
        /// Number of the player that it goes to.
        target_player_id: optional sint32 = 5;
        /// Zone that it goes to; absent if it goes to the player.
        target_zone: optional string = 6;
        /// Number of the card that it goes to; absent if it goes to the player.
        target_card_id: optional sint32 = 7;
        /// Its colour.
        arrow_color: optional message Color = 8;
    }

    /// A colour: each part from 0 to 255.
    pub struct Color = "color" {
        /// Red.
        r: optional uint32 = 1;
        /// Green.
        g: optional uint32 = 2;
        /// Blue.
        b: optional uint32 = 3;
        /// How opaque it is.
        a: optional uint32 = 4;
    }
}

enumeration! {
    /// What can be set of a card.
    pub enum CardAttribute {
        /// Whether it is tapped.
        Tapped = 1 ("AttrTapped"),
        /// Whether it attacks.
        Attacking = 2 ("AttrAttacking"),
        /// Whether it lies face down.
        FaceDown = 3 ("AttrFaceDown"),
        /// Its colour.
        Color = 4 ("AttrColor"),
        /// Its power and toughness.
        PowerToughness = 5 ("AttrPT"),
        /// The note on it.
        Annotation = 6 ("AttrAnnotation"),
        /// Whether it stays tapped in the untap step.
        DoesntUntap = 7 ("AttrDoesntUntap"),
    }
}
