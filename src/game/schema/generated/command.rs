// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::extension::family;
use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::generated::info::CardAttribute;
use crate::game::schema::generated::info::Color;
use crate::game::schema::generated::info::DeckShareItem;
use crate::game::schema::generated::info::Playmat;

message! {
    /// The message in each frame of a client. A server executes commands of one kind only, the last
    /// one first, and sends one answer.
    pub struct CommandContainer = "CommandContainer" {
        /// Id that the answer repeats. A server keeps 31 bits of it.
        cmd_id: optional uint64 = 1;
        /// Number of the game, for commands in a game.
        game_id: optional uint32 = 10;
        /// Number of the room, for commands in a room.
        room_id: optional uint32 = 20;
        /// Commands about the session.
        session_command: repeated message SessionCommand = 100;
        /// Commands in a game.
        game_command: repeated message GameCommand = 101;
        /// Commands in a room.
        room_command: repeated message RoomCommand = 102;
        /// Commands for moderators.
        moderator_command: repeated message ModeratorCommand = 103;
        /// Commands for administrators.
        admin_command: repeated message AdminCommand = 104;
        /// Commands for developers. Newer than the recorded server.
        developer_command: repeated message DeveloperCommand = 105;
    }

    /// A command about the session.
    pub struct SessionCommand = "SessionCommand" {
        100 to max: SessionCommandPayload;
    }

    /// A command in a room.
    pub struct RoomCommand = "RoomCommand" {
        100 to max: RoomCommandPayload;
    }

    /// A command in a game.
    pub struct GameCommand = "GameCommand" {
        100 to max: GameCommandPayload;
    }

    /// A command for moderators.
    pub struct ModeratorCommand = "ModeratorCommand" {
        100 to max: ModeratorCommandPayload;
    }

    /// A command for administrators.
    pub struct AdminCommand = "AdminCommand" {
        100 to max: AdminCommandPayload;
    }

    /// A command for developers. Newer than the recorded server.
    pub struct DeveloperCommand = "DeveloperCommand" {
        100 to max: DeveloperCommandPayload;
    }

    /// A keep-alive; answered immediately.
    pub struct Ping = "Command_Ping" {}

    /// Logs in; with `hashed_password` if the server has accounts.
    pub struct Login = "Command_Login" {
        /// Name of the user.
        user_name: optional string = 1;
        /// Password in plain text.
        password: optional string = 2, is secret;
        /// Fingerprint of the client; a server may require it.
        clientid: optional string = 3;
        /// Version of the client.
        clientver: optional string = 4;
        /// Features of the client.
        clientfeatures: repeated string = 5;
        /// Salt and hash of the password.
        hashed_password: optional string = 6, is secret;
    }

    /// Registers an account.
    pub struct Register = "Command_Register" {
        /// Name of the user.
        user_name: required string = 1;
        /// Password in plain text.
        password: optional string = 2, is secret;
        /// E-mail address.
        email: optional string = 3;
        /// Two-letter country code.
        country: optional string = 5;
        /// Real name.
        real_name: optional string = 6;
        /// Fingerprint of the client.
        clientid: optional string = 7;
        /// Salt and hash of the password.
        hashed_password: optional string = 8, is secret;
    }

    /// Activates an account.
    pub struct Activate = "Command_Activate" {
        /// Name of the user.
        user_name: required string = 1;
        /// The token from the e-mail.
        token: required string = 2, is secret;
        /// Fingerprint of the client.
        clientid: optional string = 3;
    }

    /// Changes the personal data of the account.
    pub struct AccountEdit = "Command_AccountEdit" {
        /// Real name.
        real_name: optional string = 1;
        /// E-mail address.
        email: optional string = 2;
        /// Two-letter country code.
        country: optional string = 4;
        /// The current password.
        password_check: optional string = 100, is secret;
    }

    /// Changes the avatar.
    pub struct AccountImage = "Command_AccountImage" {
        /// The avatar, an image file.
        image: optional bytes = 1;
    }

    /// Changes the password.
    pub struct AccountPassword = "Command_AccountPassword" {
        /// The current password.
        old_password: optional string = 1, is secret;
        /// New password in plain text.
        new_password: optional string = 2, is secret;
        /// Salt and hash of the new password.
        hashed_new_password: optional string = 4, is secret;
    }

    /// Requests a token to set a new password.
    pub struct ForgotPasswordRequest = "Command_ForgotPasswordRequest" {
        /// Name of the user.
        user_name: required string = 1;
        /// Fingerprint of the client.
        clientid: optional string = 2;
    }

    /// Sets a new password with a token.
    pub struct ForgotPasswordReset = "Command_ForgotPasswordReset" {
        /// Name of the user.
        user_name: required string = 1;
        /// Fingerprint of the client.
        clientid: optional string = 2;
        /// The token from the e-mail.
        token: optional string = 3, is secret;
        /// New password in plain text.
        new_password: optional string = 4, is secret;
        /// Salt and hash of the new password.
        hashed_new_password: optional string = 5, is secret;
    }

    /// Proves the e-mail address before a token is sent.
    pub struct ForgotPasswordChallenge = "Command_ForgotPasswordChallenge" {
        /// Name of the user.
        user_name: required string = 1;
        /// Fingerprint of the client.
        clientid: optional string = 2;
        /// E-mail address.
        email: optional string = 3;
    }

    /// Requests the salt of an account, to hash its password.
    pub struct RequestPasswordSalt = "Command_RequestPasswordSalt" {
        /// Name of the user.
        user_name: required string = 1;
    }

    /// Chooses the banner.
    pub struct SetCardArtParams = "Command_SetCardArtParams" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Printing of the card.
        card_provider_id: optional string = 2;
        /// Fraction cropped on the left.
        margin_pct_l: optional double = 3;
        /// Fraction cropped on the right.
        margin_pct_r: optional double = 4;
        /// Vertical position of the visible part.
        vertical_offset: optional double = 5;
        /// Magnification.
        zoom: optional double = 6;
    }

    /// Makes the server reload its message of the day.
    pub struct UpdateServerMessage = "Command_UpdateServerMessage" {}

    /// Shuts the server down after a delay.
    pub struct ShutdownServer = "Command_ShutdownServer" {
        /// Reason.
        reason: optional string = 1;
        /// Delay in minutes; 0 means immediately.
        minutes: optional uint32 = 2;
    }

    /// Makes the server reload its configuration.
    pub struct ReloadConfig = "Command_ReloadConfig" {}

    /// Grants or revokes the rights of a moderator, judge or developer.
    pub struct AdjustMod = "Command_AdjustMod" {
        /// Name of the user.
        user_name: required string = 1;
        /// Whether the user is a moderator.
        should_be_mod: optional bool = 2;
        /// Whether the user is a judge.
        should_be_judge: optional bool = 3;
        /// Whether the user is a developer. Newer than the recorded server.
        should_be_developer: optional bool = 4;
    }

    /// Resets the password of a user.
    pub struct ResetUserPassword = "Command_ResetUserPassword" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Requests statistics about the server.
    ///
    /// Newer than the recorded server.
    pub struct GetServerStats = "Command_GetServerStats" {}

    /// Searches the chat log.
    ///
    /// Newer than the recorded server.
    pub struct GetLogHistory = "Command_GetLogHistory" {
        /// Name of the sender.
        user_name: optional string = 1;
        /// Network address.
        ip_address: optional string = 2;
        /// Name of the game.
        game_name: optional string = 3;
        /// Number of the game.
        game_id: optional string = 4;
        /// A part of the text.
        message: optional string = 5;
        /// Where it was sent: `room`, `game` or `chat`.
        log_location: repeated string = 6;
        /// Maximum age in days.
        date_range: required uint32 = 7;
        /// Maximum number of lines.
        maximum_results: optional uint32 = 8;
    }

    /// Shuffles a zone or a part of it.
    pub struct Shuffle = "Command_Shuffle" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// The first position.
        start: optional sint32 = 2;
        /// The last position; -1 for the end of the zone.
        end: optional sint32 = 3, default -1;
    }

    /// Takes a mulligan: a new hand.
    pub struct Mulligan = "Command_Mulligan" {
        /// Number of cards in the new hand.
        number: optional uint32 = 7;
    }

    /// Draws cards.
    pub struct DrawCards = "Command_DrawCards" {
        /// Number of cards.
        number: optional uint32 = 1;
    }

    /// Puts the last drawn card back.
    pub struct UndoDraw = "Command_UndoDraw" {}

    /// Turns a card over.
    pub struct FlipCard = "Command_FlipCard" {
        /// Name of the zone.
        zone: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2, default -1;
        /// Whether it lies face down.
        face_down: optional bool = 3;
        /// Power and toughness.
        pt: optional string = 4;
    }

    /// Attaches a card to another one; without a target, detaches it.
    pub struct AttachCard = "Command_AttachCard" {
        /// Source zone.
        start_zone: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2, default -1;
        /// Number of the target player.
        target_player_id: optional sint32 = 3, default -1;
        /// Target zone.
        target_zone: optional string = 4;
        /// Number of the target card.
        target_card_id: optional sint32 = 5, default -1;
    }

    /// Creates a token.
    pub struct CreateToken = "Command_CreateToken" {
        /// Name of the zone.
        zone: optional string = 1;
        /// Its name.
        card_name: optional string = 2;
        /// Colour.
        color: optional string = 3;
        /// Power and toughness.
        pt: optional string = 4;
        /// Note on it.
        annotation: optional string = 5;
        /// Whether it ceases to exist when it leaves the table.
        destroy_on_zone_change: optional bool = 6;
        /// Column, or position in the zone.
        x: optional sint32 = 7;
        /// Row on the table.
        y: optional sint32 = 8;
        /// Target zone.
        target_zone: optional string = 9;
        /// Number of the target card.
        target_card_id: optional sint32 = 10, default -1;
        /// How it relates to the target card.
        target_mode: optional enum TargetMode = 11;
        /// Printing of the card.
        card_provider_id: optional string = 12;
        /// Whether it lies face down.
        face_down: optional bool = 13;
    }

    /// Draws an arrow from a card to a card or a player.
    pub struct CreateArrow = "Command_CreateArrow" {
        /// Number of the source player.
        start_player_id: optional sint32 = 1, default -1;
        /// Source zone.
        start_zone: optional string = 2;
        /// Number of the source card.
        start_card_id: optional sint32 = 3, default -1;
        /// Number of the target player.
        target_player_id: optional sint32 = 4, default -1;
        /// Target zone.
        target_zone: optional string = 5;
        /// Number of the target card.
        target_card_id: optional sint32 = 6, default -1;
        /// Its colour.
        arrow_color: optional message Color = 7;
        /// The phase in which it is deleted.
        delete_in_phase: optional sint32 = 8;
    }

    /// Deletes an arrow.
    pub struct DeleteArrow = "Command_DeleteArrow" {
        /// Number of the arrow.
        arrow_id: optional sint32 = 1, default -1;
    }

    /// Sets an attribute of a card; without a card, of all cards in the zone.
    pub struct SetCardAttr = "Command_SetCardAttr" {
        /// Name of the zone.
        zone: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2, default -1;
        /// The attribute.
        attribute: optional enum CardAttribute = 3;
        /// Its new value; `1` or `0` for booleans.
        attr_value: optional string = 4;
    }

    /// Looks at the cards of a zone.
    pub struct DumpZone = "Command_DumpZone" {
        /// Number of the player.
        player_id: optional sint32 = 1, default -1;
        /// Name of the zone.
        zone_name: optional string = 2;
        /// Number of cards from the top; -1 for all.
        number_cards: optional sint32 = 3;
        /// Whether positions are counted from the bottom.
        is_reversed: optional bool = 4;
    }

    /// Reveals cards to a player or to all.
    pub struct RevealCards = "Command_RevealCards" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Numbers of the cards; -2 for a random one.
        card_id: repeated sint32 = 2;
        /// Number of the player to whom they are revealed; -1 for all.
        player_id: optional sint32 = 3, default -1;
        /// Whether the others may move them.
        grant_write_access: optional bool = 4;
        /// Number of cards from the top; -1 for none.
        top_cards: optional sint32 = 5, default -1;
    }

    /// Moves cards.
    pub struct MoveCard = "Command_MoveCard" {
        /// Number of the source player.
        start_player_id: optional sint32 = 1, default -1;
        /// Source zone.
        start_zone: optional string = 2;
        /// The cards.
        cards_to_move: optional message CardsToMove = 3;
        /// Number of the target player.
        target_player_id: optional sint32 = 4, default -1;
        /// Target zone.
        target_zone: optional string = 5;
        /// Column on the table, or position in the zone; -1 for the end.
        x: optional sint32 = 6, default -1;
        /// Row on the table.
        y: optional sint32 = 7, default -1;
        /// Whether positions are counted from the bottom.
        is_reversed: optional bool = 8;
    }

    /// Changes who sees the top card of a zone.
    pub struct ChangeZoneProperties = "Command_ChangeZoneProperties" {
        /// Name of the zone.
        zone_name: optional string = 1;
        /// Whether its top card is revealed to all.
        always_reveal_top_card: optional bool = 10;
        /// Whether its owner sees its top card.
        always_look_at_top_card: optional bool = 11;
    }

    /// Cards that are moved together.
    pub struct CardsToMove = "ListOfCardsToMove" {
        /// The cards.
        card: repeated message CardToMove = 1;
    }

    /// A card that is moved.
    pub struct CardToMove = "CardToMove" {
        /// Number of the card; in a hidden zone its position.
        card_id: optional sint32 = 1, default -1;
        /// Whether to put it face down.
        face_down: optional bool = 2;
        /// Power and toughness.
        pt: optional string = 3;
        /// Whether to tap it.
        tapped: optional bool = 4;
    }

    /// Sets a counter on a card.
    pub struct SetCardCounter = "Command_SetCardCounter" {
        /// Name of the zone.
        zone: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2, default -1;
        /// Number of the counter.
        counter_id: optional sint32 = 3, default -1;
        /// Its new value.
        counter_value: optional sint32 = 4;
    }

    /// Changes a counter on a card.
    pub struct IncCardCounter = "Command_IncCardCounter" {
        /// Name of the zone.
        zone: optional string = 1;
        /// Number of the card.
        card_id: optional sint32 = 2, default -1;
        /// Number of the counter.
        counter_id: optional sint32 = 3, default -1;
        /// The difference; may be negative.
        counter_delta: optional sint32 = 4;
    }

    /// Changes a counter of the player.
    pub struct IncCounter = "Command_IncCounter" {
        /// Number of the counter.
        counter_id: optional sint32 = 1, default -1;
        /// The difference; may be negative.
        delta: optional sint32 = 2;
    }

    /// Creates a counter of the player.
    pub struct CreateCounter = "Command_CreateCounter" {
        /// Name of the counter.
        counter_name: optional string = 1;
        /// Its colour.
        counter_color: optional message Color = 2;
        /// Radius at which it is displayed.
        radius: optional uint32 = 3;
        /// Its initial value.
        value: optional sint32 = 4;
    }

    /// Sets a counter of the player.
    pub struct SetCounter = "Command_SetCounter" {
        /// Number of the counter.
        counter_id: optional sint32 = 1, default -1;
        /// Its new value.
        value: optional sint32 = 2;
    }

    /// Deletes a counter of the player.
    pub struct DelCounter = "Command_DelCounter" {
        /// Number of the counter.
        counter_id: optional sint32 = 1, default -1;
    }

    /// Creates a counter of how often a card was cast.
    ///
    /// Newer than the recorded server.
    pub struct CreateCastCount = "Command_CreateCastCount" {
        /// Number of the counter.
        index: optional sint32 = 1, default 1;
    }

    /// Requests the list of stored decks.
    pub struct DeckList = "Command_DeckList" {}

    /// Creates a folder of decks.
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

    /// Downloads a stored deck.
    pub struct DeckDownload = "Command_DeckDownload" {
        /// Number of the stored deck.
        deck_id: optional sint32 = 1, default -1;
    }

    /// Stores a deck: a new one in `path`, or as a replacement of `deck_id`.
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

    /// Requests the list of decks that a link shares.
    ///
    /// Newer than the recorded server.
    pub struct DeckShareList = "Command_DeckShareList" {
        /// The token of the link.
        token: optional string = 1, is secret;
    }

    /// Downloads a deck that a link shares.
    ///
    /// Newer than the recorded server.
    pub struct DeckShareDownload = "Command_DeckShareDownload" {
        /// The token of the link.
        token: optional string = 1, is secret;
        /// Number of the deck.
        item_id: optional uint32 = 2;
    }

    /// Requests the public decks of a user.
    ///
    /// Newer than the recorded server.
    pub struct DeckListOtherUser = "Command_DeckListOtherUser" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Makes a deck or a folder public or private.
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

    /// Downloads a public deck.
    ///
    /// Newer than the recorded server.
    pub struct DeckDownloadPublic = "Command_DeckDownloadPublic" {
        /// Number of the stored deck.
        deck_id: optional uint32 = 1;
    }

    /// Requests the user's own links.
    ///
    /// Newer than the recorded server.
    pub struct DeckShareListMine = "Command_DeckShareListMine" {}

    /// Deletes a link.
    ///
    /// Newer than the recorded server.
    pub struct DeckShareRemove = "Command_DeckShareRemove" {
        /// Number of the link.
        share_id: optional uint32 = 1;
    }

    /// Kicks a player. For the host and for moderators.
    pub struct KickFromGame = "Command_KickFromGame" {
        /// Number of the player.
        player_id: optional sint32 = 1, default -1;
    }

    /// Leaves the game.
    pub struct LeaveGame = "Command_LeaveGame" {}

    /// Sends a chat message to the game.
    pub struct GameSay = "Command_GameSay" {
        /// The text.
        message: optional string = 1;
    }

    /// Rolls dice.
    pub struct RollDie = "Command_RollDie" {
        /// Number of sides of a die.
        sides: optional uint32 = 1;
        /// Number of dice.
        count: optional uint32 = 2;
    }

    /// Sets whether the player is ready; the game starts when all are.
    pub struct ReadyStart = "Command_ReadyStart" {
        /// Whether the player is ready.
        ready: optional bool = 1;
        /// Whether to start without the players who are not ready. For the host.
        force_start: optional bool = 2;
    }

    /// Concedes the game.
    pub struct Concede = "Command_Concede" {}

    /// Ends the turn.
    pub struct NextTurn = "Command_NextTurn" {}

    /// Changes to another phase of the turn.
    pub struct SetActivePhase = "Command_SetActivePhase" {
        /// Number of the phase.
        phase: optional uint32 = 1;
    }

    /// Plans which cards to exchange with the sideboard before the next game.
    pub struct SetSideboardPlan = "Command_SetSideboardPlan" {
        /// The moves.
        move_list: repeated message MoveToZone = 1;
    }

    /// Selects a deck: a deck file or a stored deck.
    pub struct DeckSelect = "Command_DeckSelect" {
        /// The deck file.
        deck: optional string = 1;
        /// Number of the stored deck; takes precedence over the file.
        deck_id: optional sint32 = 2, default -1;
    }

    /// Locks or unlocks the sideboard.
    pub struct SetSideboardLock = "Command_SetSideboardLock" {
        /// Whether it is locked.
        locked: optional bool = 1;
    }

    /// Revokes the concession.
    pub struct Unconcede = "Command_Unconcede" {}

    /// Executes a command on behalf of a player. For judges.
    pub struct Judge = "Command_Judge" {
        /// Number of the player.
        target_id: optional sint32 = 1, default -1;
        /// The commands.
        game_command: repeated message GameCommand = 2;
    }

    /// Reverses the order of turns.
    pub struct ReverseTurn = "Command_ReverseTurn" {}

    /// Selects the playmat.
    pub struct SetPlaymat = "Command_SetPlaymat" {
        /// The playmat.
        playmat_params: optional message Playmat = 1;
    }

    /// Sets the order of the players.
    ///
    /// Newer than the recorded server.
    pub struct SetPlayerOrder = "Command_SetPlayerOrder" {
        /// Names of the players.
        player_names: repeated string = 1;
        /// Whether the order is random.
        randomize: optional bool = 2;
    }

    /// A card to move between main deck and sideboard.
    pub struct MoveToZone = "MoveCard_ToZone" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Source zone: `main` or `side`.
        start_zone: optional string = 2;
        /// Target zone: `main` or `side`.
        target_zone: optional string = 3;
    }

    /// Bans a user, an address or a client.
    pub struct BanFromServer = "Command_BanFromServer" {
        /// Name of the user.
        user_name: optional string = 1;
        /// Network address.
        address: optional string = 2;
        /// Duration in minutes; 0 for a permanent ban.
        minutes: optional uint32 = 3;
        /// Reason for other moderators.
        reason: optional string = 4;
        /// Reason that the user sees.
        visible_reason: optional string = 5;
        /// Fingerprint of the client.
        clientid: optional string = 6;
        /// Number of the user's last messages to remove.
        remove_messages: optional uint32 = 7;
    }

    /// Requests the bans of a user.
    pub struct GetBanHistory = "Command_GetBanHistory" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Warns a user.
    pub struct WarnUser = "Command_WarnUser" {
        /// Name of the user.
        user_name: optional string = 1;
        /// Reason.
        reason: optional string = 2;
        /// Fingerprint of the client.
        clientid: optional string = 3;
        /// Number of the user's last messages to remove.
        remove_messages: optional uint32 = 4;
    }

    /// Requests the warnings of a user.
    pub struct GetWarnHistory = "Command_GetWarnHistory" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Requests the predefined warnings.
    pub struct GetWarnList = "Command_GetWarnList" {
        /// Name of the moderator.
        mod_name: optional string = 1;
        /// Name of the user to be warned.
        user_name: optional string = 2;
        /// Fingerprint of the user's client.
        user_clientid: optional string = 3;
    }

    /// Searches the chat log.
    pub struct ViewLogHistory = "Command_ViewLogHistory" {
        /// Name of the sender.
        user_name: optional string = 1;
        /// Network address.
        ip_address: optional string = 2;
        /// Name of the game.
        game_name: optional string = 3;
        /// Number of the game.
        game_id: optional string = 4;
        /// A part of the text.
        message: optional string = 5;
        /// Where it was sent: `room`, `game` or `chat`.
        log_location: repeated string = 6;
        /// Maximum age in days.
        date_range: required uint32 = 7;
        /// Maximum number of lines.
        maximum_results: optional uint32 = 8;
    }

    /// Gives a moderator access to a recorded game.
    pub struct GrantReplayAccess = "Command_GrantReplayAccess" {
        /// Number of the recording.
        replay_id: optional uint32 = 1;
        /// Name of the moderator.
        moderator_name: optional string = 2;
    }

    /// Activates the account of a user.
    pub struct ForceActivateUser = "Command_ForceActivateUser" {
        /// Name of the user.
        username_to_activate: optional string = 1;
        /// Name of the moderator.
        moderator_name: optional string = 2;
    }

    /// Requests the notes on a user.
    pub struct GetAdminNotes = "Command_GetAdminNotes" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Replaces the notes on a user.
    pub struct UpdateAdminNotes = "Command_UpdateAdminNotes" {
        /// Name of the user.
        user_name: optional string = 1;
        /// The notes.
        notes: optional string = 2;
    }

    /// Adds a rule for banners.
    pub struct AddCardArtRule = "Command_AddCardArtRule" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Printing of the card.
        card_provider_id: optional string = 2;
        /// The type of the rule.
        mode: optional string = 3;
        /// Reason.
        reason: optional string = 4;
    }

    /// Removes a rule for banners.
    pub struct RemoveCardArtRule = "Command_RemoveCardArtRule" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Printing of the card.
        card_provider_id: optional string = 2;
    }

    /// Requests the rules for banners.
    pub struct ListCardArtRules = "Command_ListCardArtRules" {}

    /// Requests the sessions of a user.
    pub struct GetUserSessions = "Command_GetUserSessions" {
        /// Name of the user.
        user_name: optional string = 1;
        /// Maximum number of entries.
        limit: optional uint32 = 2, default 110;
    }

    /// Requests the other accounts of a user.
    pub struct GetUserAlts = "Command_GetUserAlts" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Requests the last login of each moderator.
    pub struct GetModeratorLastLogins = "Command_GetModeratorLastLogins" {}

    /// Removes the avatar of a user.
    pub struct RemoveUserAvatar = "Command_RemoveUserAvatar" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Requests the reports.
    pub struct ReportList = "Command_ReportList" {
        /// Whether to omit closed reports.
        unresolved_only: optional bool = 1;
        /// Number of entries to skip.
        offset: optional uint32 = 2;
        /// Maximum number of entries.
        limit: optional uint32 = 3, default 100;
    }

    /// Assigns a report to the moderator.
    pub struct ReportAssign = "Command_ReportAssign" {
        /// Number of the report.
        report_id: required int32 = 1;
    }

    /// Closes a report.
    pub struct ReportResolve = "Command_ReportResolve" {
        /// Number of the report.
        report_id: required int32 = 1;
        /// How it was resolved.
        resolution_note: optional string = 2;
        /// Whether it was unfounded.
        dismissed: optional bool = 3;
    }

    /// Downloads a recorded game by the number of the game.
    pub struct ReplayDownloadByGameId = "Command_ReplayDownloadByGameId" {
        /// Number of the game.
        game_id: required sint32 = 1;
    }

    /// Requests a summary of the reports about a user.
    pub struct ReportUserInfo = "Command_ReportUserInfo" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Requests statistics about reports.
    pub struct ReportStats = "Command_ReportStats" {}

    /// Reopens a closed report.
    ///
    /// Newer than the recorded server.
    pub struct ReportReopen = "Command_ReportReopen" {
        /// Number of the report.
        report_id: required int32 = 1;
        /// Reason.
        reopen_note: optional string = 2;
    }

    /// Sends a private message to a user.
    pub struct UserMessage = "Command_Message" {
        /// Name of the user.
        user_name: optional string = 1;
        /// The text.
        message: optional string = 2;
    }

    /// Requests the list of users who are online, and updates to it.
    pub struct ListUsers = "Command_ListUsers" {}

    /// Requests the games of a user.
    pub struct GetGamesOfUser = "Command_GetGamesOfUser" {
        /// Name of the user.
        user_name: optional string = 1;
    }

    /// Requests the data of a user; without a name, of the caller.
    pub struct GetUserInfo = "Command_GetUserInfo" {
        /// Name of the user; empty for the caller.
        user_name: optional string = 1;
    }

    /// Adds a user to a list of the caller.
    pub struct AddToList = "Command_AddToList" {
        /// Name of the list: `buddy` or `ignore`.
        list: optional string = 1;
        /// Name of the user.
        user_name: optional string = 2;
    }

    /// Removes a user from a list of the caller.
    pub struct RemoveFromList = "Command_RemoveFromList" {
        /// Name of the list: `buddy` or `ignore`.
        list: optional string = 1;
        /// Name of the user.
        user_name: optional string = 2;
    }

    /// Requests the list of rooms, and updates to it.
    pub struct ListRooms = "Command_ListRooms" {}

    /// Joins a room.
    pub struct JoinRoom = "Command_JoinRoom" {
        /// Number of the room.
        room_id: optional uint32 = 1;
    }

    /// Requests the list of recorded matches.
    pub struct ReplayList = "Command_ReplayList" {}

    /// Downloads a recorded game.
    pub struct ReplayDownload = "Command_ReplayDownload" {
        /// Number of the recording.
        replay_id: optional sint32 = 1, default -1;
    }

    /// Sets whether a recorded match is kept.
    pub struct ReplayModifyMatch = "Command_ReplayModifyMatch" {
        /// Number of the match.
        game_id: optional sint32 = 1, default -1;
        /// Whether it is kept.
        do_not_hide: optional bool = 2;
    }

    /// Deletes a recorded match from the user's list.
    pub struct ReplayDeleteMatch = "Command_ReplayDeleteMatch" {
        /// Number of the game.
        game_id: optional sint32 = 1, default -1;
    }

    /// Requests a code that gives others access to a recorded match.
    pub struct ReplayGetCode = "Command_ReplayGetCode" {
        /// Number of the game.
        game_id: optional sint32 = 1, default -1;
    }

    /// Gets access to a recorded match with a code.
    pub struct ReplaySubmitCode = "Command_ReplaySubmitCode" {
        /// The code.
        replay_code: optional string = 1, is secret;
    }

    /// Reports a user.
    pub struct Report = "Command_Report" {
        /// Name of the reported user.
        reported_user: optional string = 1;
        /// Number of the game.
        game_id: optional int32 = 2;
        /// Its category.
        category: optional string = 3;
        /// Description.
        description: optional string = 4;
        /// Chat log at the time.
        chat_log: optional string = 5;
    }

    /// Requests the user's own reports.
    pub struct ReportMyList = "Command_ReportMyList" {}

    /// Comments on a report.
    pub struct ReportAddComment = "Command_ReportAddComment" {
        /// Number of the report.
        report_id: required int32 = 1;
        /// The comment.
        comment: required string = 2;
    }

    /// Requests a report with its comments.
    pub struct ReportDetails = "Command_ReportDetails" {
        /// Number of the report.
        report_id: required int32 = 1;
    }

    /// Leaves the room.
    pub struct LeaveRoom = "Command_LeaveRoom" {}

    /// Sends a chat message to the room.
    pub struct RoomSay = "Command_RoomSay" {
        /// The text.
        message: optional string = 1;
    }

    /// Creates a game in the room and joins it.
    pub struct CreateGame = "Command_CreateGame" {
        /// Its name.
        description: optional string = 1;
        /// Password of the game.
        password: optional string = 2, is secret;
        /// Maximum number of players.
        max_players: optional uint32 = 3;
        /// Whether only buddies may join.
        only_buddies: optional bool = 4;
        /// Whether only registered users may join.
        only_registered: optional bool = 5;
        /// Whether spectators are allowed.
        spectators_allowed: optional bool = 6;
        /// Whether spectators need the password.
        spectators_need_password: optional bool = 7;
        /// Whether spectators may chat.
        spectators_can_talk: optional bool = 8;
        /// Whether spectators see hidden cards.
        spectators_see_everything: optional bool = 9;
        /// Numbers of its game types in the room.
        game_type_ids: repeated uint32 = 10;
        /// Whether to join as a judge.
        join_as_judge: optional bool = 11;
        /// Whether to join as a spectator.
        join_as_spectator: optional bool = 12;
        /// Initial life total.
        starting_life_total: optional uint32 = 13;
        /// Whether deck lists are revealed to all when they are loaded.
        share_decklists_on_load: optional bool = 14;
    }

    /// Joins a game in the room.
    pub struct JoinGame = "Command_JoinGame" {
        /// Number of the game.
        game_id: optional sint32 = 1, default -1;
        /// Password of the game.
        password: optional string = 2, is secret;
        /// Whether to join as a spectator.
        spectator: optional bool = 3;
        /// Whether to ignore restrictions. For moderators.
        override_restrictions: optional bool = 4;
        /// Whether to join as a judge.
        join_as_judge: optional bool = 5;
    }
}

enumeration! {
    /// How a token relates to its target card.
    pub enum TargetMode {
        /// It is attached to it.
        AttachTo = 0 ("ATTACH_TO"),
        /// It replaces it.
        TransformInto = 1 ("TRANSFORM_INTO"),
    }
}

family! {
    /// The kinds of payloads of `SessionCommand`.
    pub enum SessionCommandKind;
    /// A payload of `SessionCommand`.
    pub enum SessionCommandPayload;

    Ping = 1000 "PING" "[Command_Ping.ext]";
    Login = 1001 "LOGIN" "[Command_Login.ext]";
    UserMessage = 1002 "MESSAGE" "[Command_Message.ext]";
    ListUsers = 1003 "LIST_USERS" "[Command_ListUsers.ext]";
    GetGamesOfUser = 1004 "GET_GAMES_OF_USER" "[Command_GetGamesOfUser.ext]";
    GetUserInfo = 1005 "GET_USER_INFO" "[Command_GetUserInfo.ext]";
    AddToList = 1006 "ADD_TO_LIST" "[Command_AddToList.ext]";
    RemoveFromList = 1007 "REMOVE_FROM_LIST" "[Command_RemoveFromList.ext]";
    DeckList = 1008 "DECK_LIST" "[Command_DeckList.ext]";
    DeckNewDir = 1009 "DECK_NEW_DIR" "[Command_DeckNewDir.ext]";
    DeckDelDir = 1010 "DECK_DEL_DIR" "[Command_DeckDelDir.ext]";
    DeckDel = 1011 "DECK_DEL" "[Command_DeckDel.ext]";
    DeckDownload = 1012 "DECK_DOWNLOAD" "[Command_DeckDownload.ext]";
    DeckUpload = 1013 "DECK_UPLOAD" "[Command_DeckUpload.ext]";
    ListRooms = 1014 "LIST_ROOMS" "[Command_ListRooms.ext]";
    JoinRoom = 1015 "JOIN_ROOM" "[Command_JoinRoom.ext]";
    Register = 1016 "REGISTER" "[Command_Register.ext]";
    Activate = 1017 "ACTIVATE" "[Command_Activate.ext]";
    AccountEdit = 1018 "ACCOUNT_EDIT" "[Command_AccountEdit.ext]";
    AccountImage = 1019 "ACCOUNT_IMAGE" "[Command_AccountImage.ext]";
    AccountPassword = 1020 "ACCOUNT_PASSWORD" "[Command_AccountPassword.ext]";
    ForgotPasswordRequest = 1021 "FORGOT_PASSWORD_REQUEST" "[Command_ForgotPasswordRequest.ext]";
    ForgotPasswordReset = 1022 "FORGOT_PASSWORD_RESET" "[Command_ForgotPasswordReset.ext]";
    ForgotPasswordChallenge = 1023 "FORGOT_PASSWORD_CHALLENGE" "[Command_ForgotPasswordChallenge.ext]";
    RequestPasswordSalt = 1024 "REQUEST_PASSWORD_SALT" "[Command_RequestPasswordSalt.ext]";
    SetCardArtParams = 1025 "SET_CARD_ART_PARAMS" "[Command_SetCardArtParams.ext]";
    DeckShareCreate = 1026 "DECK_SHARE_CREATE" "[Command_DeckShareCreate.ext]";
    DeckShareList = 1027 "DECK_SHARE_LIST" "[Command_DeckShareList.ext]";
    DeckShareDownload = 1028 "DECK_SHARE_DOWNLOAD" "[Command_DeckShareDownload.ext]";
    DeckListOtherUser = 1029 "DECK_LIST_OTHER_USER" "[Command_DeckListOtherUser.ext]";
    DeckSetVisibility = 1030 "DECK_SET_VISIBILITY" "[Command_DeckSetVisibility.ext]";
    DeckDownloadPublic = 1031 "DECK_DOWNLOAD_PUBLIC" "[Command_DeckDownloadPublic.ext]";
    DeckShareListMine = 1032 "DECK_SHARE_LIST_MINE" "[Command_DeckShareListMine.ext]";
    DeckShareRemove = 1033 "DECK_SHARE_REMOVE" "[Command_DeckShareRemove.ext]";
    ReplayList = 1100 "REPLAY_LIST" "[Command_ReplayList.ext]";
    ReplayDownload = 1101 "REPLAY_DOWNLOAD" "[Command_ReplayDownload.ext]";
    ReplayModifyMatch = 1102 "REPLAY_MODIFY_MATCH" "[Command_ReplayModifyMatch.ext]";
    ReplayDeleteMatch = 1103 "REPLAY_DELETE_MATCH" "[Command_ReplayDeleteMatch.ext]";
    ReplayGetCode = 1104 "REPLAY_GET_CODE" "[Command_ReplayGetCode.ext]";
    ReplaySubmitCode = 1105 "REPLAY_SUBMIT_CODE" "[Command_ReplaySubmitCode.ext]";
    Report = 1200 "REPORT" "[Command_Report.ext]";
    ReportMyList = 1204 "REPORT_MY_LIST" "[Command_ReportMyList.ext]";
    ReportAddComment = 1205 "REPORT_ADD_COMMENT" "[Command_ReportAddComment.ext]";
    ReportDetails = 1206 "REPORT_DETAILS" "[Command_ReportDetails.ext]";
}

family! {
    /// The kinds of payloads of `RoomCommand`.
    pub enum RoomCommandKind;
    /// A payload of `RoomCommand`.
    pub enum RoomCommandPayload;

    LeaveRoom = 1000 "LEAVE_ROOM" "[Command_LeaveRoom.ext]";
    RoomSay = 1001 "ROOM_SAY" "[Command_RoomSay.ext]";
    CreateGame = 1002 "CREATE_GAME" "[Command_CreateGame.ext]";
    JoinGame = 1003 "JOIN_GAME" "[Command_JoinGame.ext]";
}

family! {
    /// The kinds of payloads of `GameCommand`.
    pub enum GameCommandKind;
    /// A payload of `GameCommand`.
    pub enum GameCommandPayload;

    KickFromGame = 1000 "KICK_FROM_GAME" "[Command_KickFromGame.ext]";
    LeaveGame = 1001 "LEAVE_GAME" "[Command_LeaveGame.ext]";
    GameSay = 1002 "GAME_SAY" "[Command_GameSay.ext]";
    Shuffle = 1003 "SHUFFLE" "[Command_Shuffle.ext]";
    Mulligan = 1004 "MULLIGAN" "[Command_Mulligan.ext]";
    RollDie = 1005 "ROLL_DIE" "[Command_RollDie.ext]";
    DrawCards = 1006 "DRAW_CARDS" "[Command_DrawCards.ext]";
    UndoDraw = 1007 "UNDO_DRAW" "[Command_UndoDraw.ext]";
    FlipCard = 1008 "FLIP_CARD" "[Command_FlipCard.ext]";
    AttachCard = 1009 "ATTACH_CARD" "[Command_AttachCard.ext]";
    CreateToken = 1010 "CREATE_TOKEN" "[Command_CreateToken.ext]";
    CreateArrow = 1011 "CREATE_ARROW" "[Command_CreateArrow.ext]";
    DeleteArrow = 1012 "DELETE_ARROW" "[Command_DeleteArrow.ext]";
    SetCardAttr = 1013 "SET_CARD_ATTR" "[Command_SetCardAttr.ext]";
    SetCardCounter = 1014 "SET_CARD_COUNTER" "[Command_SetCardCounter.ext]";
    IncCardCounter = 1015 "INC_CARD_COUNTER" "[Command_IncCardCounter.ext]";
    ReadyStart = 1016 "READY_START" "[Command_ReadyStart.ext]";
    Concede = 1017 "CONCEDE" "[Command_Concede.ext]";
    IncCounter = 1018 "INC_COUNTER" "[Command_IncCounter.ext]";
    CreateCounter = 1019 "CREATE_COUNTER" "[Command_CreateCounter.ext]";
    SetCounter = 1020 "SET_COUNTER" "[Command_SetCounter.ext]";
    DelCounter = 1021 "DEL_COUNTER" "[Command_DelCounter.ext]";
    NextTurn = 1022 "NEXT_TURN" "[Command_NextTurn.ext]";
    SetActivePhase = 1023 "SET_ACTIVE_PHASE" "[Command_SetActivePhase.ext]";
    DumpZone = 1024 "DUMP_ZONE" "[Command_DumpZone.ext]";
    RevealCards = 1026 "REVEAL_CARDS" "[Command_RevealCards.ext]";
    MoveCard = 1027 "MOVE_CARD" "[Command_MoveCard.ext]";
    SetSideboardPlan = 1028 "SET_SIDEBOARD_PLAN" "[Command_SetSideboardPlan.ext]";
    DeckSelect = 1029 "DECK_SELECT" "[Command_DeckSelect.ext]";
    SetSideboardLock = 1030 "SET_SIDEBOARD_LOCK" "[Command_SetSideboardLock.ext]";
    ChangeZoneProperties = 1031 "CHANGE_ZONE_PROPERTIES" "[Command_ChangeZoneProperties.ext]";
    Unconcede = 1032 "UNCONCEDE" "[Command_Unconcede.ext]";
    Judge = 1033 "JUDGE" "[Command_Judge.ext]";
    ReverseTurn = 1034 "REVERSE_TURN" "[Command_ReverseTurn.ext]";
    SetPlaymat = 1035 "SET_PLAYMAT" "[Command_SetPlaymat.ext]";
    CreateCastCount = 1036 "CREATE_CAST_COUNT" "[Command_CreateCastCount.ext]";
    SetPlayerOrder = 1206 "SET_PLAYER_ORDER" "[Command_SetPlayerOrder.ext]";
}

family! {
    /// The kinds of payloads of `ModeratorCommand`.
    pub enum ModeratorCommandKind;
    /// A payload of `ModeratorCommand`.
    pub enum ModeratorCommandPayload;

    BanFromServer = 1000 "BAN_FROM_SERVER" "[Command_BanFromServer.ext]";
    GetBanHistory = 1001 "BAN_HISTORY" "[Command_GetBanHistory.ext]";
    WarnUser = 1002 "WARN_USER" "[Command_WarnUser.ext]";
    GetWarnHistory = 1003 "WARN_HISTORY" "[Command_GetWarnHistory.ext]";
    GetWarnList = 1004 "WARN_LIST" "[Command_GetWarnList.ext]";
    ViewLogHistory = 1005 "VIEWLOG_HISTORY" "[Command_ViewLogHistory.ext]";
    GrantReplayAccess = 1006 "GRANT_REPLAY_ACCESS" "[Command_GrantReplayAccess.ext]";
    ForceActivateUser = 1007 "FORCE_ACTIVATE_USER" "[Command_ForceActivateUser.ext]";
    GetAdminNotes = 1008 "GET_ADMIN_NOTES" "[Command_GetAdminNotes.ext]";
    UpdateAdminNotes = 1009 "UPDATE_ADMIN_NOTES" "[Command_UpdateAdminNotes.ext]";
    AddCardArtRule = 1010 "ADD_CARD_ART_RULE" "[Command_AddCardArtRule.ext]";
    RemoveCardArtRule = 1011 "REMOVE_CARD_ART_RULE" "[Command_RemoveCardArtRule.ext]";
    ListCardArtRules = 1012 "LIST_CARD_ART_RULES" "[Command_ListCardArtRules.ext]";
    GetUserSessions = 1013 "GET_USER_SESSIONS" "[Command_GetUserSessions.ext]";
    GetUserAlts = 1014 "GET_USER_ALTS" "[Command_GetUserAlts.ext]";
    GetModeratorLastLogins = 1015 "GET_MODERATOR_LAST_LOGINS" "[Command_GetModeratorLastLogins.ext]";
    RemoveUserAvatar = 1017 "REMOVE_USER_AVATAR" "[Command_RemoveUserAvatar.ext]";
    ReportList = 1200 "REPORT_LIST" "[Command_ReportList.ext]";
    ReportAssign = 1201 "REPORT_ASSIGN" "[Command_ReportAssign.ext]";
    ReportResolve = 1202 "REPORT_RESOLVE" "[Command_ReportResolve.ext]";
    ReplayDownloadByGameId = 1203 "REPLAY_DOWNLOAD_BY_GAME_ID" "[Command_ReplayDownloadByGameId.ext]";
    ReportUserInfo = 1204 "REPORT_USER_INFO" "[Command_ReportUserInfo.ext]";
    ReportStats = 1205 "REPORT_STATS" "[Command_ReportStats.ext]";
    ReportReopen = 1206 "REPORT_REOPEN" "[Command_ReportReopen.ext]";
}

family! {
    /// The kinds of payloads of `AdminCommand`.
    pub enum AdminCommandKind;
    /// A payload of `AdminCommand`.
    pub enum AdminCommandPayload;

    UpdateServerMessage = 1000 "UPDATE_SERVER_MESSAGE" "[Command_UpdateServerMessage.ext]";
    ShutdownServer = 1001 "SHUTDOWN_SERVER" "[Command_ShutdownServer.ext]";
    ReloadConfig = 1002 "RELOAD_CONFIG" "[Command_ReloadConfig.ext]";
    AdjustMod = 1003 "ADJUST_MOD" "[Command_AdjustMod.ext]";
    ResetUserPassword = 1016 "RESET_USER_PASSWORD" "[Command_ResetUserPassword.ext]";
}

family! {
    /// The kinds of payloads of `DeveloperCommand`.
    pub enum DeveloperCommandKind;
    /// A payload of `DeveloperCommand`.
    pub enum DeveloperCommandPayload;

    GetServerStats = 1000 "GET_SERVER_STATS" "[Command_GetServerStats.ext]";
    GetLogHistory = 1001 "GET_LOG_HISTORY" "[Command_GetLogHistory.ext]";
}
