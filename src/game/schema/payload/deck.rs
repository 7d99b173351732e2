use crate::game::runtime::macros::message;
use crate::game::schema::info::{DeckFolder, DeckItem};

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
}
