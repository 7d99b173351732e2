use crate::game::runtime::macros::message;

message! {
    /// A folder of stored decks. Folders lie in each other, as deep as their owner likes.
    pub struct DeckFolder = "ServerInfo_DeckStorage_Folder" {
        /// Decks and folders in it.
        items: repeated message DeckItem = 1;
    }

    /// A deck or a folder, with its name.
    pub struct DeckItem = "ServerInfo_DeckStorage_TreeItem" {
        /// Number of the item.
        id: optional uint32 = 1;
        /// Name.
        name: optional string = 2;
        /// The deck, if it is one.
        file: optional message DeckFile = 10;
        /// The folder, if it is one.
        folder: optional message DeckFolder = 11;
    }

    /// A stored deck.
    pub struct DeckFile = "ServerInfo_DeckStorage_File" {
        /// When it was stored, in seconds since 1970.
        creation_time: optional uint32 = 1;
    }

    /// A deck to be shared. Newer than the recorded server.
    pub struct DeckShareItem = "DeckShareItem" {
        /// Number of the stored deck.
        deck_id: optional uint32 = 1;
        /// The deck file.
        deck_list: optional string = 2;
        /// Its colours.
        color_identity: optional string = 3;
    }

    /// A deck that a link shares. Newer than the recorded server.
    pub struct SharedDeck = "ServerInfo_DeckShareItem" {
        /// Number of the deck.
        id: optional uint32 = 1;
        /// Name.
        name: optional string = 2;
        /// What its owner calls it by.
        tags: repeated string = 3;
        /// Name of the card on its cover.
        banner_card: optional string = 4;
        /// The rules that it is for.
        game_format: optional string = 5;
        /// Its colours.
        color_identity: optional string = 6;
    }

    /// A link that shares decks. Newer than the recorded server.
    pub struct DeckShareSummary = "ServerInfo_DeckShareSummary" {
        /// Number of the link.
        id: optional uint32 = 1;
        /// Name.
        name: optional string = 2;
        /// When it was made, in seconds since 1970.
        creation_time: optional uint64 = 3;
        /// When it ends, in seconds since 1970.
        expires_at: optional uint64 = 4;
        /// Decks.
        item_count: optional uint32 = 5;
    }
}
