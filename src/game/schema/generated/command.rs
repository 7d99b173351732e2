// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::extension::family;
use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::generated::info::{CardAttribute, Color, DeckShareItem, Playmat};

message! {
    /// The message in each frame of a client. A server executes commands of one kind only, the last
    /// one first, and sends one answer.
    pub struct CommandContainer = "CommandContainer" {
        cmd_id: optional uint64 = 1, "Id that the answer repeats. A server keeps 31 bits of it.";
        game_id: optional uint32 = 10, "Number of the game, for commands in a game.";
        room_id: optional uint32 = 20, "Number of the room, for commands in a room.";
        session_command: repeated message SessionCommand = 100, "Commands about the session.";
        game_command: repeated message GameCommand = 101, "Commands in a game.";
        room_command: repeated message RoomCommand = 102, "Commands in a room.";
        moderator_command: repeated message ModeratorCommand = 103, "Commands for moderators.";
        admin_command: repeated message AdminCommand = 104, "Commands for administrators.";
        developer_command: repeated message DeveloperCommand = 105, "Commands for developers. Newer than the recorded server.";
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
        user_name: optional string = 1, "Name of the user.";
        password: optional string = 2, is secret, "Password in plain text.";
        clientid: optional string = 3, "Fingerprint of the client; a server may require it.";
        clientver: optional string = 4, "Version of the client.";
        clientfeatures: repeated string = 5, "Features of the client.";
        hashed_password: optional string = 6, is secret, "Salt and hash of the password.";
    }

    /// Registers an account.
    pub struct Register = "Command_Register" {
        user_name: required string = 1, "Name of the user.";
        password: optional string = 2, is secret, "Password in plain text.";
        email: optional string = 3, "E-mail address.";
        country: optional string = 5, "Two-letter country code.";
        real_name: optional string = 6, "Real name.";
        clientid: optional string = 7, "Fingerprint of the client.";
        hashed_password: optional string = 8, is secret, "Salt and hash of the password.";
    }

    /// Activates an account.
    pub struct Activate = "Command_Activate" {
        user_name: required string = 1, "Name of the user.";
        token: required string = 2, is secret, "The token from the e-mail.";
        clientid: optional string = 3, "Fingerprint of the client.";
    }

    /// Changes the personal data of the account.
    pub struct AccountEdit = "Command_AccountEdit" {
        real_name: optional string = 1, "Real name.";
        email: optional string = 2, "E-mail address.";
        country: optional string = 4, "Two-letter country code.";
        password_check: optional string = 100, is secret, "The current password.";
    }

    /// Changes the avatar.
    pub struct AccountImage = "Command_AccountImage" {
        image: optional bytes = 1, "The avatar, an image file.";
    }

    /// Changes the password.
    pub struct AccountPassword = "Command_AccountPassword" {
        old_password: optional string = 1, is secret, "The current password.";
        new_password: optional string = 2, is secret, "New password in plain text.";
        hashed_new_password: optional string = 4, is secret, "Salt and hash of the new password.";
    }

    /// Requests a token to set a new password.
    pub struct ForgotPasswordRequest = "Command_ForgotPasswordRequest" {
        user_name: required string = 1, "Name of the user.";
        clientid: optional string = 2, "Fingerprint of the client.";
    }

    /// Sets a new password with a token.
    pub struct ForgotPasswordReset = "Command_ForgotPasswordReset" {
        user_name: required string = 1, "Name of the user.";
        clientid: optional string = 2, "Fingerprint of the client.";
        token: optional string = 3, is secret, "The token from the e-mail.";
        new_password: optional string = 4, is secret, "New password in plain text.";
        hashed_new_password: optional string = 5, is secret, "Salt and hash of the new password.";
    }

    /// Proves the e-mail address before a token is sent.
    pub struct ForgotPasswordChallenge = "Command_ForgotPasswordChallenge" {
        user_name: required string = 1, "Name of the user.";
        clientid: optional string = 2, "Fingerprint of the client.";
        email: optional string = 3, "E-mail address.";
    }

    /// Requests the salt of an account, to hash its password.
    pub struct RequestPasswordSalt = "Command_RequestPasswordSalt" {
        user_name: required string = 1, "Name of the user.";
    }

    /// Chooses the banner.
    pub struct SetCardArtParams = "Command_SetCardArtParams" {
        card_name: optional string = 1, "Name of the card.";
        card_provider_id: optional string = 2, "Printing of the card.";
        margin_pct_l: optional double = 3, "Fraction cropped on the left.";
        margin_pct_r: optional double = 4, "Fraction cropped on the right.";
        vertical_offset: optional double = 5, "Vertical position of the visible part.";
        zoom: optional double = 6, "Magnification.";
    }

    /// Makes the server reload its message of the day.
    pub struct UpdateServerMessage = "Command_UpdateServerMessage" {}

    /// Shuts the server down after a delay.
    pub struct ShutdownServer = "Command_ShutdownServer" {
        reason: optional string = 1, "Reason.";
        minutes: optional uint32 = 2, "Delay in minutes; 0 means immediately.";
    }

    /// Makes the server reload its configuration.
    pub struct ReloadConfig = "Command_ReloadConfig" {}

    /// Grants or revokes the rights of a moderator, judge or developer.
    pub struct AdjustMod = "Command_AdjustMod" {
        user_name: required string = 1, "Name of the user.";
        should_be_mod: optional bool = 2, "Whether the user is a moderator.";
        should_be_judge: optional bool = 3, "Whether the user is a judge.";
        should_be_developer: optional bool = 4, "Whether the user is a developer. Newer than the recorded server.";
    }

    /// Resets the password of a user.
    pub struct ResetUserPassword = "Command_ResetUserPassword" {
        user_name: optional string = 1, "Name of the user.";
    }

    /// Requests statistics about the server. Newer than the recorded server.
    pub struct GetServerStats = "Command_GetServerStats" {}

    /// Searches the chat log. Newer than the recorded server.
    pub struct GetLogHistory = "Command_GetLogHistory" {
        user_name: optional string = 1, "Name of the sender.";
        ip_address: optional string = 2, "Network address.";
        game_name: optional string = 3, "Name of the game.";
        game_id: optional string = 4, "Number of the game.";
        message: optional string = 5, "A part of the text.";
        log_location: repeated string = 6, "Where it was sent: `room`, `game` or `chat`.";
        date_range: required uint32 = 7, "Maximum age in days.";
        maximum_results: optional uint32 = 8, "Maximum number of lines.";
    }

    /// Shuffles a zone or a part of it.
    pub struct Shuffle = "Command_Shuffle" {
        zone_name: optional string = 1, "Name of the zone.";
        start: optional sint32 = 2, "The first position.";
        end: optional sint32 = 3, default -1, "The last position; -1 for the end of the zone.";
    }

    /// Takes a mulligan: a new hand.
    pub struct Mulligan = "Command_Mulligan" {
        number: optional uint32 = 7, "Number of cards in the new hand.";
    }

    /// Draws cards.
    pub struct DrawCards = "Command_DrawCards" {
        number: optional uint32 = 1, "Number of cards.";
    }

    /// Puts the last drawn card back.
    pub struct UndoDraw = "Command_UndoDraw" {}

    /// Turns a card over.
    pub struct FlipCard = "Command_FlipCard" {
        zone: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, default -1, "Number of the card.";
        face_down: optional bool = 3, "Whether it lies face down.";
        pt: optional string = 4, "Power and toughness.";
    }

    /// Attaches a card to another one; without a target, detaches it.
    pub struct AttachCard = "Command_AttachCard" {
        start_zone: optional string = 1, "Source zone.";
        card_id: optional sint32 = 2, default -1, "Number of the card.";
        target_player_id: optional sint32 = 3, default -1, "Number of the target player.";
        target_zone: optional string = 4, "Target zone.";
        target_card_id: optional sint32 = 5, default -1, "Number of the target card.";
    }

    /// Creates a token.
    pub struct CreateToken = "Command_CreateToken" {
        zone: optional string = 1, "Name of the zone.";
        card_name: optional string = 2, "Its name.";
        color: optional string = 3, "Colour.";
        pt: optional string = 4, "Power and toughness.";
        annotation: optional string = 5, "Note on it.";
        destroy_on_zone_change: optional bool = 6, "Whether it ceases to exist when it leaves the table.";
        x: optional sint32 = 7, "Column, or position in the zone.";
        y: optional sint32 = 8, "Row on the table.";
        target_zone: optional string = 9, "Target zone.";
        target_card_id: optional sint32 = 10, default -1, "Number of the target card.";
        target_mode: optional enum TargetMode = 11, "How it relates to the target card.";
        card_provider_id: optional string = 12, "Printing of the card.";
        face_down: optional bool = 13, "Whether it lies face down.";
    }

    /// Draws an arrow from a card to a card or a player.
    pub struct CreateArrow = "Command_CreateArrow" {
        start_player_id: optional sint32 = 1, default -1, "Number of the source player.";
        start_zone: optional string = 2, "Source zone.";
        start_card_id: optional sint32 = 3, default -1, "Number of the source card.";
        target_player_id: optional sint32 = 4, default -1, "Number of the target player.";
        target_zone: optional string = 5, "Target zone.";
        target_card_id: optional sint32 = 6, default -1, "Number of the target card.";
        arrow_color: optional message Color = 7, "Its colour.";
        delete_in_phase: optional sint32 = 8, "The phase in which it is deleted.";
    }

    /// Deletes an arrow.
    pub struct DeleteArrow = "Command_DeleteArrow" {
        arrow_id: optional sint32 = 1, default -1, "Number of the arrow.";
    }

    /// Sets an attribute of a card; without a card, of all cards in the zone.
    pub struct SetCardAttr = "Command_SetCardAttr" {
        zone: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, default -1, "Number of the card.";
        attribute: optional enum CardAttribute = 3, "The attribute.";
        attr_value: optional string = 4, "Its new value; `1` or `0` for booleans.";
    }

    /// Looks at the cards of a zone.
    pub struct DumpZone = "Command_DumpZone" {
        player_id: optional sint32 = 1, default -1, "Number of the player.";
        zone_name: optional string = 2, "Name of the zone.";
        number_cards: optional sint32 = 3, "Number of cards from the top; -1 for all.";
        is_reversed: optional bool = 4, "Whether positions are counted from the bottom.";
    }

    /// Reveals cards to a player or to all.
    pub struct RevealCards = "Command_RevealCards" {
        zone_name: optional string = 1, "Name of the zone.";
        card_id: repeated sint32 = 2, "Numbers of the cards; -2 for a random one.";
        player_id: optional sint32 = 3, default -1, "Number of the player to whom they are revealed; -1 for all.";
        grant_write_access: optional bool = 4, "Whether the others may move them.";
        top_cards: optional sint32 = 5, default -1, "Number of cards from the top; -1 for none.";
    }

    /// Moves cards.
    pub struct MoveCard = "Command_MoveCard" {
        start_player_id: optional sint32 = 1, default -1, "Number of the source player.";
        start_zone: optional string = 2, "Source zone.";
        cards_to_move: optional message CardsToMove = 3, "The cards.";
        target_player_id: optional sint32 = 4, default -1, "Number of the target player.";
        target_zone: optional string = 5, "Target zone.";
        x: optional sint32 = 6, default -1, "Column on the table, or position in the zone; -1 for the end.";
        y: optional sint32 = 7, default -1, "Row on the table.";
        is_reversed: optional bool = 8, "Whether positions are counted from the bottom.";
    }

    /// Changes who sees the top card of a zone.
    pub struct ChangeZoneProperties = "Command_ChangeZoneProperties" {
        zone_name: optional string = 1, "Name of the zone.";
        always_reveal_top_card: optional bool = 10, "Whether its top card is revealed to all.";
        always_look_at_top_card: optional bool = 11, "Whether its owner sees its top card.";
    }

    /// Cards that are moved together.
    pub struct CardsToMove = "ListOfCardsToMove" {
        card: repeated message CardToMove = 1, "The cards.";
    }

    /// A card that is moved.
    pub struct CardToMove = "CardToMove" {
        card_id: optional sint32 = 1, default -1, "Number of the card; in a hidden zone its position.";
        face_down: optional bool = 2, "Whether to put it face down.";
        pt: optional string = 3, "Power and toughness.";
        tapped: optional bool = 4, "Whether to tap it.";
    }

    /// Sets a counter on a card.
    pub struct SetCardCounter = "Command_SetCardCounter" {
        zone: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, default -1, "Number of the card.";
        counter_id: optional sint32 = 3, default -1, "Number of the counter.";
        counter_value: optional sint32 = 4, "Its new value.";
    }

    /// Changes a counter on a card.
    pub struct IncCardCounter = "Command_IncCardCounter" {
        zone: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, default -1, "Number of the card.";
        counter_id: optional sint32 = 3, default -1, "Number of the counter.";
        counter_delta: optional sint32 = 4, "The difference; may be negative.";
    }

    /// Changes a counter of the player.
    pub struct IncCounter = "Command_IncCounter" {
        counter_id: optional sint32 = 1, default -1, "Number of the counter.";
        delta: optional sint32 = 2, "The difference; may be negative.";
    }

    /// Creates a counter of the player.
    pub struct CreateCounter = "Command_CreateCounter" {
        counter_name: optional string = 1, "Name of the counter.";
        counter_color: optional message Color = 2, "Its colour.";
        radius: optional uint32 = 3, "Radius at which it is displayed.";
        value: optional sint32 = 4, "Its initial value.";
    }

    /// Sets a counter of the player.
    pub struct SetCounter = "Command_SetCounter" {
        counter_id: optional sint32 = 1, default -1, "Number of the counter.";
        value: optional sint32 = 2, "Its new value.";
    }

    /// Deletes a counter of the player.
    pub struct DelCounter = "Command_DelCounter" {
        counter_id: optional sint32 = 1, default -1, "Number of the counter.";
    }

    /// Creates a counter of how often a card was cast. Newer than the recorded server.
    pub struct CreateCastCount = "Command_CreateCastCount" {
        index: optional sint32 = 1, default 1, "Number of the counter.";
    }

    /// Requests the list of stored decks.
    pub struct DeckList = "Command_DeckList" {}

    /// Creates a folder of decks.
    pub struct DeckNewDir = "Command_DeckNewDir" {
        path: optional string = 1, "Path of the folder.";
        dir_name: optional string = 2, "Name of the new folder.";
    }

    /// Deletes a folder of decks.
    pub struct DeckDelDir = "Command_DeckDelDir" {
        path: optional string = 1, "Path of the folder.";
    }

    /// Deletes a stored deck.
    pub struct DeckDel = "Command_DeckDel" {
        deck_id: optional sint32 = 1, default -1, "Number of the stored deck.";
    }

    /// Downloads a stored deck.
    pub struct DeckDownload = "Command_DeckDownload" {
        deck_id: optional sint32 = 1, default -1, "Number of the stored deck.";
    }

    /// Stores a deck: a new one in `path`, or as a replacement of `deck_id`.
    pub struct DeckUpload = "Command_DeckUpload" {
        path: optional string = 1, "Path of the folder.";
        deck_id: optional uint32 = 2, "Number of the stored deck.";
        deck_list: optional string = 3, "The deck file.";
    }

    /// Shares decks by a link. Newer than the recorded server.
    pub struct DeckShareCreate = "Command_DeckShareCreate" {
        name: optional string = 1, "Name.";
        items: repeated message DeckShareItem = 2, "The decks.";
        folder_path: optional string = 3, "Path of the folder.";
    }

    /// Requests the list of decks that a link shares. Newer than the recorded server.
    pub struct DeckShareList = "Command_DeckShareList" {
        token: optional string = 1, is secret, "The token of the link.";
    }

    /// Downloads a deck that a link shares. Newer than the recorded server.
    pub struct DeckShareDownload = "Command_DeckShareDownload" {
        token: optional string = 1, is secret, "The token of the link.";
        item_id: optional uint32 = 2, "Number of the deck.";
    }

    /// Requests the public decks of a user. Newer than the recorded server.
    pub struct DeckListOtherUser = "Command_DeckListOtherUser" {
        user_name: optional string = 1, "Name of the user.";
    }

    /// Makes a deck or a folder public or private. Newer than the recorded server.
    pub struct DeckSetVisibility = "Command_DeckSetVisibility" {
        deck_id: optional uint32 = 1, "Number of the stored deck.";
        folder_path: optional string = 2, "Path of the folder.";
        is_public: optional bool = 3, "Whether it is public.";
    }

    /// Downloads a public deck. Newer than the recorded server.
    pub struct DeckDownloadPublic = "Command_DeckDownloadPublic" {
        deck_id: optional uint32 = 1, "Number of the stored deck.";
    }

    /// Requests the user's own links. Newer than the recorded server.
    pub struct DeckShareListMine = "Command_DeckShareListMine" {}

    /// Deletes a link. Newer than the recorded server.
    pub struct DeckShareRemove = "Command_DeckShareRemove" {
        share_id: optional uint32 = 1, "Number of the link.";
    }

    /// Kicks a player. For the host and for moderators.
    pub struct KickFromGame = "Command_KickFromGame" {
        player_id: optional sint32 = 1, default -1, "Number of the player.";
    }

    /// Leaves the game.
    pub struct LeaveGame = "Command_LeaveGame" {}

    /// Sends a chat message to the game.
    pub struct GameSay = "Command_GameSay" {
        message: optional string = 1, "The text.";
    }

    /// Rolls dice.
    pub struct RollDie = "Command_RollDie" {
        sides: optional uint32 = 1, "Number of sides of a die.";
        count: optional uint32 = 2, "Number of dice.";
    }

    /// Sets whether the player is ready; the game starts when all are.
    pub struct ReadyStart = "Command_ReadyStart" {
        ready: optional bool = 1, "Whether the player is ready.";
        force_start: optional bool = 2, "Whether to start without the players who are not ready. For the host.";
    }

    /// Concedes the game.
    pub struct Concede = "Command_Concede" {}

    /// Ends the turn.
    pub struct NextTurn = "Command_NextTurn" {}

    /// Changes to another phase of the turn.
    pub struct SetActivePhase = "Command_SetActivePhase" {
        phase: optional uint32 = 1, "Number of the phase.";
    }

    /// Plans which cards to exchange with the sideboard before the next game.
    pub struct SetSideboardPlan = "Command_SetSideboardPlan" {
        move_list: repeated message MoveToZone = 1, "The moves.";
    }

    /// Selects a deck: a deck file or a stored deck.
    pub struct DeckSelect = "Command_DeckSelect" {
        deck: optional string = 1, "The deck file.";
        deck_id: optional sint32 = 2, default -1, "Number of the stored deck; takes precedence over the file.";
    }

    /// Locks or unlocks the sideboard.
    pub struct SetSideboardLock = "Command_SetSideboardLock" {
        locked: optional bool = 1, "Whether it is locked.";
    }

    /// Revokes the concession.
    pub struct Unconcede = "Command_Unconcede" {}

    /// Executes a command on behalf of a player. For judges.
    pub struct Judge = "Command_Judge" {
        target_id: optional sint32 = 1, default -1, "Number of the player.";
        game_command: repeated message GameCommand = 2, "The commands.";
    }

    /// Reverses the order of turns.
    pub struct ReverseTurn = "Command_ReverseTurn" {}

    /// Selects the playmat.
    pub struct SetPlaymat = "Command_SetPlaymat" {
        playmat_params: optional message Playmat = 1, "The playmat.";
    }

    /// Sets the order of the players. Newer than the recorded server.
    pub struct SetPlayerOrder = "Command_SetPlayerOrder" {
        player_names: repeated string = 1, "Names of the players.";
        randomize: optional bool = 2, "Whether the order is random.";
    }

    /// A card to move between main deck and sideboard.
    pub struct MoveToZone = "MoveCard_ToZone" {
        card_name: optional string = 1, "Name of the card.";
        start_zone: optional string = 2, "Source zone: `main` or `side`.";
        target_zone: optional string = 3, "Target zone: `main` or `side`.";
    }

    /// Bans a user, an address or a client.
    pub struct BanFromServer = "Command_BanFromServer" {
        user_name: optional string = 1, "Name of the user.";
        address: optional string = 2, "Network address.";
        minutes: optional uint32 = 3, "Duration in minutes; 0 for a permanent ban.";
        reason: optional string = 4, "Reason for other moderators.";
        visible_reason: optional string = 5, "Reason that the user sees.";
        clientid: optional string = 6, "Fingerprint of the client.";
        remove_messages: optional uint32 = 7, "Number of the user's last messages to remove.";
    }

    /// Requests the bans of a user.
    pub struct GetBanHistory = "Command_GetBanHistory" {
        user_name: optional string = 1, "Name of the user.";
    }

    /// Warns a user.
    pub struct WarnUser = "Command_WarnUser" {
        user_name: optional string = 1, "Name of the user.";
        reason: optional string = 2, "Reason.";
        clientid: optional string = 3, "Fingerprint of the client.";
        remove_messages: optional uint32 = 4, "Number of the user's last messages to remove.";
    }

    /// Requests the warnings of a user.
    pub struct GetWarnHistory = "Command_GetWarnHistory" {
        user_name: optional string = 1, "Name of the user.";
    }

    /// Requests the predefined warnings.
    pub struct GetWarnList = "Command_GetWarnList" {
        mod_name: optional string = 1, "Name of the moderator.";
        user_name: optional string = 2, "Name of the user to be warned.";
        user_clientid: optional string = 3, "Fingerprint of the user's client.";
    }

    /// Searches the chat log.
    pub struct ViewLogHistory = "Command_ViewLogHistory" {
        user_name: optional string = 1, "Name of the sender.";
        ip_address: optional string = 2, "Network address.";
        game_name: optional string = 3, "Name of the game.";
        game_id: optional string = 4, "Number of the game.";
        message: optional string = 5, "A part of the text.";
        log_location: repeated string = 6, "Where it was sent: `room`, `game` or `chat`.";
        date_range: required uint32 = 7, "Maximum age in days.";
        maximum_results: optional uint32 = 8, "Maximum number of lines.";
    }

    /// Gives a moderator access to a recorded game.
    pub struct GrantReplayAccess = "Command_GrantReplayAccess" {
        replay_id: optional uint32 = 1, "Number of the recording.";
        moderator_name: optional string = 2, "Name of the moderator.";
    }

    /// Activates the account of a user.
    pub struct ForceActivateUser = "Command_ForceActivateUser" {
        username_to_activate: optional string = 1, "Name of the user.";
        moderator_name: optional string = 2, "Name of the moderator.";
    }

    /// Requests the notes on a user.
    pub struct GetAdminNotes = "Command_GetAdminNotes" {
        user_name: optional string = 1, "Name of the user.";
    }

    /// Replaces the notes on a user.
    pub struct UpdateAdminNotes = "Command_UpdateAdminNotes" {
        user_name: optional string = 1, "Name of the user.";
        notes: optional string = 2, "The notes.";
    }

    /// Adds a rule for banners.
    pub struct AddCardArtRule = "Command_AddCardArtRule" {
        card_name: optional string = 1, "Name of the card.";
        card_provider_id: optional string = 2, "Printing of the card.";
        mode: optional string = 3, "The type of the rule.";
        reason: optional string = 4, "Reason.";
    }

    /// Removes a rule for banners.
    pub struct RemoveCardArtRule = "Command_RemoveCardArtRule" {
        card_name: optional string = 1, "Name of the card.";
        card_provider_id: optional string = 2, "Printing of the card.";
    }

    /// Requests the rules for banners.
    pub struct ListCardArtRules = "Command_ListCardArtRules" {}

    /// Requests the sessions of a user.
    pub struct GetUserSessions = "Command_GetUserSessions" {
        user_name: optional string = 1, "Name of the user.";
        limit: optional uint32 = 2, default 110, "Maximum number of entries.";
    }

    /// Requests the other accounts of a user.
    pub struct GetUserAlts = "Command_GetUserAlts" {
        user_name: optional string = 1, "Name of the user.";
    }

    /// Requests the last login of each moderator.
    pub struct GetModeratorLastLogins = "Command_GetModeratorLastLogins" {}

    /// Removes the avatar of a user.
    pub struct RemoveUserAvatar = "Command_RemoveUserAvatar" {
        user_name: optional string = 1, "Name of the user.";
    }

    /// Requests the reports.
    pub struct ReportList = "Command_ReportList" {
        unresolved_only: optional bool = 1, "Whether to omit closed reports.";
        offset: optional uint32 = 2, "Number of entries to skip.";
        limit: optional uint32 = 3, default 100, "Maximum number of entries.";
    }

    /// Assigns a report to the moderator.
    pub struct ReportAssign = "Command_ReportAssign" {
        report_id: required int32 = 1, "Number of the report.";
    }

    /// Closes a report.
    pub struct ReportResolve = "Command_ReportResolve" {
        report_id: required int32 = 1, "Number of the report.";
        resolution_note: optional string = 2, "How it was resolved.";
        dismissed: optional bool = 3, "Whether it was unfounded.";
    }

    /// Downloads a recorded game by the number of the game.
    pub struct ReplayDownloadByGameId = "Command_ReplayDownloadByGameId" {
        game_id: required sint32 = 1, "Number of the game.";
    }

    /// Requests a summary of the reports about a user.
    pub struct ReportUserInfo = "Command_ReportUserInfo" {
        user_name: optional string = 1, "Name of the user.";
    }

    /// Requests statistics about reports.
    pub struct ReportStats = "Command_ReportStats" {}

    /// Reopens a closed report. Newer than the recorded server.
    pub struct ReportReopen = "Command_ReportReopen" {
        report_id: required int32 = 1, "Number of the report.";
        reopen_note: optional string = 2, "Reason.";
    }

    /// Sends a private message to a user.
    pub struct UserMessage = "Command_Message" {
        user_name: optional string = 1, "Name of the user.";
        message: optional string = 2, "The text.";
    }

    /// Requests the list of users who are online, and updates to it.
    pub struct ListUsers = "Command_ListUsers" {}

    /// Requests the games of a user.
    pub struct GetGamesOfUser = "Command_GetGamesOfUser" {
        user_name: optional string = 1, "Name of the user.";
    }

    /// Requests the data of a user; without a name, of the caller.
    pub struct GetUserInfo = "Command_GetUserInfo" {
        user_name: optional string = 1, "Name of the user; empty for the caller.";
    }

    /// Adds a user to a list of the caller.
    pub struct AddToList = "Command_AddToList" {
        list: optional string = 1, "Name of the list: `buddy` or `ignore`.";
        user_name: optional string = 2, "Name of the user.";
    }

    /// Removes a user from a list of the caller.
    pub struct RemoveFromList = "Command_RemoveFromList" {
        list: optional string = 1, "Name of the list: `buddy` or `ignore`.";
        user_name: optional string = 2, "Name of the user.";
    }

    /// Requests the list of rooms, and updates to it.
    pub struct ListRooms = "Command_ListRooms" {}

    /// Joins a room.
    pub struct JoinRoom = "Command_JoinRoom" {
        room_id: optional uint32 = 1, "Number of the room.";
    }

    /// Requests the list of recorded matches.
    pub struct ReplayList = "Command_ReplayList" {}

    /// Downloads a recorded game.
    pub struct ReplayDownload = "Command_ReplayDownload" {
        replay_id: optional sint32 = 1, default -1, "Number of the recording.";
    }

    /// Sets whether a recorded match is kept.
    pub struct ReplayModifyMatch = "Command_ReplayModifyMatch" {
        game_id: optional sint32 = 1, default -1, "Number of the match.";
        do_not_hide: optional bool = 2, "Whether it is kept.";
    }

    /// Deletes a recorded match from the user's list.
    pub struct ReplayDeleteMatch = "Command_ReplayDeleteMatch" {
        game_id: optional sint32 = 1, default -1, "Number of the game.";
    }

    /// Requests a code that gives others access to a recorded match.
    pub struct ReplayGetCode = "Command_ReplayGetCode" {
        game_id: optional sint32 = 1, default -1, "Number of the game.";
    }

    /// Gets access to a recorded match with a code.
    pub struct ReplaySubmitCode = "Command_ReplaySubmitCode" {
        replay_code: optional string = 1, is secret, "The code.";
    }

    /// Reports a user.
    pub struct Report = "Command_Report" {
        reported_user: optional string = 1, "Name of the reported user.";
        game_id: optional int32 = 2, "Number of the game.";
        category: optional string = 3, "Its category.";
        description: optional string = 4, "Description.";
        chat_log: optional string = 5, "Chat log at the time.";
    }

    /// Requests the user's own reports.
    pub struct ReportMyList = "Command_ReportMyList" {}

    /// Comments on a report.
    pub struct ReportAddComment = "Command_ReportAddComment" {
        report_id: required int32 = 1, "Number of the report.";
        comment: required string = 2, "The comment.";
    }

    /// Requests a report with its comments.
    pub struct ReportDetails = "Command_ReportDetails" {
        report_id: required int32 = 1, "Number of the report.";
    }

    /// Leaves the room.
    pub struct LeaveRoom = "Command_LeaveRoom" {}

    /// Sends a chat message to the room.
    pub struct RoomSay = "Command_RoomSay" {
        message: optional string = 1, "The text.";
    }

    /// Creates a game in the room and joins it.
    pub struct CreateGame = "Command_CreateGame" {
        description: optional string = 1, "Its name.";
        password: optional string = 2, is secret, "Password of the game.";
        max_players: optional uint32 = 3, "Maximum number of players.";
        only_buddies: optional bool = 4, "Whether only buddies may join.";
        only_registered: optional bool = 5, "Whether only registered users may join.";
        spectators_allowed: optional bool = 6, "Whether spectators are allowed.";
        spectators_need_password: optional bool = 7, "Whether spectators need the password.";
        spectators_can_talk: optional bool = 8, "Whether spectators may chat.";
        spectators_see_everything: optional bool = 9, "Whether spectators see hidden cards.";
        game_type_ids: repeated uint32 = 10, "Numbers of its game types in the room.";
        join_as_judge: optional bool = 11, "Whether to join as a judge.";
        join_as_spectator: optional bool = 12, "Whether to join as a spectator.";
        starting_life_total: optional uint32 = 13, "Initial life total.";
        share_decklists_on_load: optional bool = 14, "Whether deck lists are revealed to all when they are loaded.";
    }

    /// Joins a game in the room.
    pub struct JoinGame = "Command_JoinGame" {
        game_id: optional sint32 = 1, default -1, "Number of the game.";
        password: optional string = 2, is secret, "Password of the game.";
        spectator: optional bool = 3, "Whether to join as a spectator.";
        override_restrictions: optional bool = 4, "Whether to ignore restrictions. For moderators.";
        join_as_judge: optional bool = 5, "Whether to join as a judge.";
    }
}

enumeration! {
    /// How a token relates to its target card.
    pub enum TargetMode {
        AttachTo = 0 ("ATTACH_TO"), "It is attached to it.";
        TransformInto = 1 ("TRANSFORM_INTO"), "It replaces it.";
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
