use crate::game::runtime::macros::message;
use crate::game::schema::info::DeckShareItem;

message! {
    /// Asks for the stored decks.
    pub struct DeckList = "Command_DeckList" {}

    /// Makes a folder of decks.
    pub struct DeckNewDir = "Command_DeckNewDir" {
        /// Path of the folder.
        path: optional string = 1;
        /// Name of the new folder.
        dir_name: optional string = 2;
    }

    /// Deletes a folder of decks.
    pub struct DeckDelDir = "Command_DeckDelDir" {
        /// Path of the folder.
        path: optional string = 1;
    }

    /// Deletes a stored deck.
    pub struct DeckDel = "Command_DeckDel" {
        /// Number of the stored deck.
        deck_id: optional sint32 = 1, default -1;
    }

    /// Asks for a stored deck.
    pub struct DeckDownload = "Command_DeckDownload" {
        /// Number of the stored deck.
        deck_id: optional sint32 = 1, default -1;
    }

    /// Stores a deck: a new one in `path`, or in place of `deck_id`.
    pub struct DeckUpload = "Command_DeckUpload" {
        /// Path of the folder.
        path: optional string = 1;
        /// Number of the stored deck.
        deck_id: optional uint32 = 2;
        /// The deck file.
        deck_list: optional string = 3;
    }

    /// Shares decks by a link.
    ///
    /// Newer than the recorded server.
    pub struct DeckShareCreate = "Command_DeckShareCreate" {
        /// Name.
        name: optional string = 1;
        /// The decks.
        items: repeated message DeckShareItem = 2;
        /// Path of the folder.
        folder_path: optional string = 3;
    }

    /// Asks what a link shares.
    ///
    /// Newer than the recorded server.
    pub struct DeckShareList = "Command_DeckShareList" {
        /// The token of the link.
        token: optional string = 1, is secret;
    }

    /// Asks for a deck that a link shares.
    ///
    /// Newer than the recorded server.
    pub struct DeckShareDownload = "Command_DeckShareDownload" {
        /// The token of the link.
        token: optional string = 1, is secret;
        /// Number of the deck.
        item_id: optional uint32 = 2;
    }

    /// Asks for the public decks of a user.
    ///
    /// Newer than the recorded server.
    pub struct DeckListOtherUser = "Command_DeckListOtherUser" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Makes a deck or a folder public, or private.
    ///
    /// Newer than the recorded server.
    pub struct DeckSetVisibility = "Command_DeckSetVisibility" {
        /// Number of the stored deck.
        deck_id: optional uint32 = 1;
        /// Path of the folder.
        folder_path: optional string = 2;
        /// Whether it is public.
        is_public: optional bool = 3;
    }

    /// Asks for a public deck.
    ///
    /// Newer than the recorded server.
    pub struct DeckDownloadPublic = "Command_DeckDownloadPublic" {
        /// Number of the stored deck.
        deck_id: optional uint32 = 1;
    }

    /// Asks for one's own links.
    ///
    /// Newer than the recorded server.
    pub struct DeckShareListMine = "Command_DeckShareListMine" {}

    /// Ends a link.
    ///
    /// Newer than the recorded server.
    pub struct DeckShareRemove = "Command_DeckShareRemove" {
        /// Number of the link.
        share_id: optional uint32 = 1;
    }
}
