//! Commands to be sent.

use std::fmt;

use quick_protobuf::sizeofs::sizeof_varint;
use zeroize::Zeroizing;

use super::{
    AdminCommand, AdminCommandKind, AdminCommandPayload, CardToMove, CardsToMove, CommandContainer,
    CreateGame, DeckSelect, DeveloperCommand, DeveloperCommandKind, DeveloperCommandPayload,
    DrawCards, GameCommand, GameCommandKind, GameCommandPayload, GameSay, JoinRoom, LeaveRoom,
    ListRooms, ListUsers, ModeratorCommand, ModeratorCommandKind, ModeratorCommandPayload,
    MoveCard, NextTurn, Ping, ReadyStart, RoomCommand, RoomCommandKind, RoomCommandPayload,
    RoomSay, SessionCommand, SessionCommandKind, SessionCommandPayload, UserMessage,
};
use crate::game::runtime::encode::append_number;
use crate::game::runtime::extension::{Extended, Inner, Member};
use crate::game::runtime::message::Message;
use crate::game::runtime::nested::Nested;
use crate::game::runtime::repeated::Repeated;
use crate::game::runtime::wire::WireType;

/// `CommandContainer.cmd_id`.
const CMD_ID: u32 = 1;

/// A command that is ready to be sent, except for its `cmd_id`.
///
/// It owns its bytes, which are zeroized on drop, since they may contain a password. `Debug` shows kinds, not contents.
///
/// ```
/// use portreeve::game::Command;
///
/// let say = Command::room_say(1, "hi");
/// assert_eq!(say.to_vec(7), b"\x08\x07\xa0\x01\x01\xb2\x06\x07\xca\x3e\x04\x0a\x02hi");
/// ```
#[derive(Clone)]
pub struct Command(Zeroizing<Vec<u8>>);

/// A card of a player that moves from one of its zones to another: see [`Command::move_card`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct CardMove<'a> {
    /// The number of the player.
    pub player: i32,
    /// The number of the card.
    pub card: i32,
    /// The zone that it leaves, such as `hand`.
    pub from: &'a str,
    /// The zone that it enters, such as `table`.
    pub to: &'a str,
    /// Its column there, from 0.
    pub x: i32,
    /// Its row there: on the table 0 to 2, by custom for creatures, other permanents and lands.
    pub y: i32,
}

impl<'a> CardMove<'a> {
    /// A card of a player, both by number, that moves between these zones, to column and row 0.
    pub const fn new(player: i32, card: i32, from: &'a str, to: &'a str) -> Self {
        Self { player, card, from, to, x: 0, y: 0 }
    }

    /// To this column and row instead.
    #[must_use]
    pub const fn at(self, x: i32, y: i32) -> Self {
        Self { x, y, ..self }
    }
}

/// A message with these fields alone, from variables of their names.
macro_rules! with {
    ($message:ident, $($field:ident),+) => {
        $message { $($field: Some($field.into()),)+ ..$message::default() }
    };
}

/// Defines the items for each family of commands, given its name, the room or game that its commands are sent to,
/// its variant and kinds, and its envelope with its payloads and its field in the container.
macro_rules! families {
    ($(
        $(#[$doc:meta])*
        $name:ident($($id:ident)?) $variant:ident($kind:ident) $command:ident($payload:ident)
            in $commands:ident;
    )*) => {
        /// The kind of a command.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum CommandKind {
            $( $(#[$doc])* $variant($kind), )*
        }

        impl CommandKind {
            /// Its name in the schema: `ROOM_SAY`.
            pub const fn name(self) -> &'static str {
                match self {
                    $( Self::$variant(kind) => kind.name(), )*
                }
            }
        }

        impl Command {
            $(
                $(#[$doc])*
                pub fn $name<'a, P>($($id: i32,)? payload: P) -> Self
                where
                    P: Member<'a, Family = $payload<'a>>,
                {
                    let bytes = Zeroizing::new(payload.to_vec());
                    let (number, bytes) = (P::KIND.number(), &*bytes);
                    let commands = [$command {
                        payload: Extended(Inner::One { number, bytes }),
                        ..$command::default()
                    }];
                    Self::from_container(&CommandContainer {
                        $( $id: Some($id), )?
                        $commands: Repeated::from(&commands),
                        ..CommandContainer::default()
                    })
                }
            )*
        }

        impl<'a> CommandContainer<'a> {
            /// The kinds of its commands, in order, without unreadable and unknown ones.
            pub fn kinds(&self) -> impl Iterator<Item = CommandKind> + use<'a> {
                std::iter::empty()$(.chain(
                    self.$commands().flatten().filter_map(|command| command.kind()).map(CommandKind::$variant),
                ))*
            }
        }
    };
}

families! {
    /// A command about the session.
    session() Session(SessionCommandKind) SessionCommand(SessionCommandPayload) in session_command;
    /// A command in the game with this number.
    game(game_id) Game(GameCommandKind) GameCommand(GameCommandPayload) in game_command;
    /// A command in the room with this number.
    room(room_id) Room(RoomCommandKind) RoomCommand(RoomCommandPayload) in room_command;
    /// A command for moderators.
    moderator() Moderator(ModeratorCommandKind) ModeratorCommand(ModeratorCommandPayload) in moderator_command;
    /// A command for administrators.
    admin() Admin(AdminCommandKind) AdminCommand(AdminCommandPayload) in admin_command;
    /// A command for developers, which only servers newer than the recorded one support.
    developer() Developer(DeveloperCommandKind) DeveloperCommand(DeveloperCommandPayload) in developer_command;
}

// === impl Command ===

impl Command {
    /// A keep-alive.
    pub fn ping() -> Self {
        Self::session(Ping::default())
    }

    /// Requests the list of rooms, and updates to it.
    pub fn list_rooms() -> Self {
        Self::session(ListRooms::default())
    }

    /// Requests the list of users who are online, and updates to it.
    pub fn list_users() -> Self {
        Self::session(ListUsers::default())
    }

    /// Sends a private message to a user.
    pub fn user_message(user_name: &str, message: &str) -> Self {
        Self::session(with!(UserMessage, user_name, message))
    }

    /// Joins a room.
    pub fn join_room(room_id: i32) -> Self {
        Self::session(with!(JoinRoom, room_id))
    }

    /// Leaves a room.
    pub fn leave_room(room_id: i32) -> Self {
        Self::room(room_id, LeaveRoom::default())
    }

    /// Says something in a room.
    pub fn room_say(room_id: i32, message: &str) -> Self {
        Self::room(room_id, with!(RoomSay, message))
    }

    /// Says something in a game.
    pub fn game_say(game_id: i32, message: &str) -> Self {
        Self::game(game_id, with!(GameSay, message))
    }

    /// Opens a game in a room, for this many players, with 20 life each. [`CreateGame`] also has a password.
    pub fn create_game(room_id: i32, description: &str, max_players: u32) -> Self {
        let starting_life_total = 20_u32;
        let game = with!(CreateGame, description, max_players, starting_life_total);
        Self::room(room_id, game)
    }

    /// Chooses a deck, as the text of its file.
    pub fn deck_select(game_id: i32, deck: &str) -> Self {
        Self::game(game_id, with!(DeckSelect, deck))
    }

    /// Is ready for the game to begin.
    pub fn ready_start(game_id: i32) -> Self {
        let ready = true;
        Self::game(game_id, with!(ReadyStart, ready))
    }

    /// Draws this many cards.
    pub fn draw_cards(game_id: i32, number: u32) -> Self {
        Self::game(game_id, with!(DrawCards, number))
    }

    /// Passes the turn to the next player.
    pub fn next_turn(game_id: i32) -> Self {
        Self::game(game_id, NextTurn::default())
    }

    /// Moves a card.
    pub fn move_card(game_id: i32, moved: CardMove<'_>) -> Self {
        let card_id = moved.card;
        let cards = [with!(CardToMove, card_id)];
        let cards = CardsToMove { card: Repeated::from(&cards), ..CardsToMove::default() };
        let card = MoveCard {
            start_player_id: Some(moved.player),
            start_zone: Some(moved.from.into()),
            cards_to_move: Nested::from(&cards),
            target_player_id: Some(moved.player),
            target_zone: Some(moved.to.into()),
            x: Some(moved.x),
            y: Some(moved.y),
            ..MoveCard::default()
        };
        Self::game(game_id, card)
    }

    /// The contents of a container without its `cmd_id`: for several commands of a kind, or commands that were read.
    ///
    /// ```
    /// use portreeve::game::command::{CommandContainer, GameCommand, GameCommandPayload, RollDie};
    /// use portreeve::game::{Command, Extended, Repeated};
    ///
    /// let die = GameCommandPayload::from(RollDie { sides: Some(6), ..RollDie::default() });
    /// let roll = GameCommand { payload: Extended::from(&die), ..GameCommand::default() };
    /// let rolls = [roll, roll];
    /// let command = Command::from_container(&CommandContainer {
    ///     game_id: Some(3),
    ///     game_command: Repeated::from(&rolls),
    ///     ..CommandContainer::default()
    /// });
    /// assert_eq!(command.kinds().count(), 2);
    /// ```
    pub fn from_container(container: &CommandContainer<'_>) -> Self {
        let container = CommandContainer { cmd_id: None, ..*container };
        // An allocation of the right size, so that no copy of a password is left behind.
        Self(Zeroizing::new(container.to_vec()))
    }

    /// The container, without a `cmd_id`.
    pub fn container(&self) -> CommandContainer<'_> {
        CommandContainer::parse(&self.0).expect("this crate encoded the bytes")
    }

    /// The kinds of its commands, in order, without those that the schema does not have.
    pub fn kinds(&self) -> impl Iterator<Item = CommandKind> + '_ {
        self.container().kinds()
    }

    /// Its encoding, as the bytes of a [`CommandContainer`] with this `cmd_id`.
    ///
    /// Servers return a `cmd_id` of up to 2,147,483,647 in their answer.
    pub fn to_vec(&self, cmd_id: u64) -> Vec<u8> {
        let mut out = Vec::with_capacity(1 + sizeof_varint(cmd_id) + self.0.len());
        append_number(CMD_ID, WireType::Varint, cmd_id, &mut out);
        out.extend_from_slice(&self.0);
        out
    }
}

impl fmt::Debug for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Command(")?;
        for (index, kind) in self.kinds().enumerate() {
            f.write_str(if index > 0 { ", " } else { "" })?;
            f.write_str(kind.name())?;
        }
        f.write_str(")")
    }
}

// === impl CommandKind ===

impl fmt::Display for CommandKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
