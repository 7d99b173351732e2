use crate::game::runtime::macros::message;

message! {
    /// A user. Which fields are there depends on the asker: most are for the user and for moderators.
    pub struct User = "ServerInfo_User" {
        /// Name.
        name: optional string = 1;
        /// Bits that say what the user is: registered, moderator, judge and so on.
        user_level: optional uint32 = 2;
        /// Network address.
        address: optional string = 3;
        /// Real name, as given by the user.
        real_name: optional string = 4;
        /// Two letters of the country.
        country: optional string = 6;
        /// Portrait, an image file.
        avatar_bmp: optional bytes = 7;
        /// Number of the account.
        id: optional sint32 = 8, default -1;
        /// Number of the server, if several share a database.
        server_id: optional sint32 = 9, default -1;
        /// Number of the session.
        session_id: optional uint64 = 10;
        /// Age of the account in seconds.
        accountage_secs: optional uint64 = 11;
        /// E-mail address.
        email: optional string = 12;
        /// Fingerprint of the client.
        clientid: optional string = 13;
        /// Name of the privilege level.
        privlevel: optional string = 14;
        /// Colours of the pawn icon.
        pawn_colors: optional message PawnColors = 15;
        /// The banner.
        card_art_params: optional message CardArt = 16;
    }

    /// Colours that a user chose for the pawn icon.
    pub struct PawnColors = "ServerInfo_User.PawnColorsOverride" {
        /// Colour of the left half.
        left_side: optional string = 1;
        /// Colour of the right half.
        right_side: optional string = 2;
    }

    /// The part of a card's art that a user shows as a banner.
    pub struct CardArt = "ServerInfo_User.CardArtParams" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Which printing of the card.
        card_provider_id: optional string = 2;
        /// Share of the width that is cut off on the left.
        margin_pct_l: optional double = 3, default 0.33;
        /// Share of the width that is cut off on the right.
        margin_pct_r: optional double = 4, default 0.02;
        /// Where the visible stripe begins, as a share of the height.
        vertical_offset: optional double = 5, default 0.35;
        /// Magnification.
        zoom: optional double = 6, default 1.0;
    }
}
