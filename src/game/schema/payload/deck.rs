use crate::game::runtime::macros::message;
use crate::game::schema::info::{DeckFolder, DeckItem, DeckShareSummary, SharedDeck};

message! {
    /// The stored decks.
    pub struct DeckList = "Response_DeckList" {
        /// The outermost folder.
        root: optional message DeckFolder = 1;
    }

    /// A stored deck.
    pub struct DeckDownload = "Response_DeckDownload" {
        /// The deck file.
        deck: optional string = 1;
    }

    /// Answer to storing a deck.
    pub struct DeckUpload = "Response_DeckUpload" {
        /// The stored deck.
        new_file: optional message DeckItem = 1;
    }

    /// A new link that shares decks. Newer than the recorded server.
    pub struct DeckShareCreate = "Response_DeckShareCreate" {
        /// The token of the link.
        token: optional string = 1, is secret;
        /// When it ends, in seconds since 1970.
        expires_at: optional uint64 = 2;
        /// Decks.
        item_count: optional uint32 = 3;
    }

    /// What a link shares. Newer than the recorded server.
    pub struct DeckShareList = "Response_DeckShareList" {
        /// Name.
        name: optional string = 1;
        /// When it ends, in seconds since 1970.
        expires_at: optional uint64 = 2;
        /// The decks.
        items: repeated message SharedDeck = 3;
    }

    /// A deck that a link shares. Newer than the recorded server.
    pub struct DeckShareDownload = "Response_DeckShareDownload" {
        /// The deck file.
        deck: optional string = 1;
    }

    /// The user's links. Newer than the recorded server.
    pub struct DeckShareListMine = "Response_DeckShareListMine" {
        /// The links.
        shares: repeated message DeckShareSummary = 1;
    }
}
