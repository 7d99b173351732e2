//! What payloads, commands and events are made of: users, rooms, games, cards and so on.
//!
//! Defined as in the files of `proto/info/`.

mod deck;
mod game;
mod moderation;
mod player;
mod replay;
mod report;
mod room;
mod user;
mod zone;

pub use deck::{DeckFile, DeckFolder, DeckItem, DeckShareItem, DeckShareSummary, SharedDeck};
pub use game::{Game, GameType};
pub use moderation::{Ban, ChatMessage, ModeratorLogin, UserAlt, UserSession, Warning};
pub use player::{Arrow, CardAttribute, Color, Counter, Player, PlayerProperties, Playmat};
pub use replay::{Replay, ReplayMatch};
pub use report::{Report, ReportCategoryCount, ReportComment, ReportTopUser};
pub use room::Room;
pub use user::{CardArt, PawnColors, User};
pub use zone::{Card, CardCounter, Zone, ZoneType};
