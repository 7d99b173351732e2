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
}
