// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::extension::family;
use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;
use crate::game::schema::generated::info::{CardAttribute, Color, Playmat};

message! {
    CommandContainer = "CommandContainer", "The message in each frame of a client. A server executes commands of one kind only, the last one first, and sends one answer." {
        cmd_id: optional uint64 = 1, "Id that the answer repeats. A server keeps 31 bits of it.";
        game_id: optional id = 10, "Number of the game, for commands in a game.";
        room_id: optional id = 20, "Number of the room, for commands in a room.";
        session_command: repeated message SessionCommand = 100, "Commands about the session.";
        game_command: repeated message GameCommand = 101, "Commands in a game.";
        room_command: repeated message RoomCommand = 102, "Commands in a room.";
        moderator_command: repeated message ModeratorCommand = 103, "Commands for moderators.";
        admin_command: repeated message AdminCommand = 104, "Commands for administrators.";
        developer_command: repeated message DeveloperCommand = 105, "Commands for developers. Newer than the recorded server.";
    }

    SessionCommand = "SessionCommand", "A command about the session." { 100 to max: SessionCommandPayload; }

    RoomCommand = "RoomCommand", "A command in a room." { 100 to max: RoomCommandPayload; }

    GameCommand = "GameCommand", "A command in a game." { 100 to max: GameCommandPayload; }

    ModeratorCommand = "ModeratorCommand", "A command for moderators." { 100 to max: ModeratorCommandPayload; }

    AdminCommand = "AdminCommand", "A command for administrators." { 100 to max: AdminCommandPayload; }

    DeveloperCommand = "DeveloperCommand", "A command for developers. Newer than the recorded server." { 100 to max: DeveloperCommandPayload; }

    Ping = "Command_Ping", "A keep-alive; answered immediately." {}

    Login = "Command_Login", "Logs in; with `hashed_password` if the server has accounts." {
        user_name: optional string = 1, "Name of the user.";
        password: optional string = 2, is secret, "Password in plain text.";
        clientid: optional string = 3, "Fingerprint of the client; a server may require it.";
        clientver: optional string = 4, "Version of the client.";
        clientfeatures: repeated string = 5, "Features of the client.";
        hashed_password: optional string = 6, is secret, "Salt and hash of the password.";
    }

    Register = "Command_Register", "Registers an account." {
        user_name: required string = 1, "Name of the user.";
        password: optional string = 2, is secret, "Password in plain text.";
        email: optional string = 3, "E-mail address.";
        country: optional string = 5, "Two-letter country code.";
        real_name: optional string = 6, "Real name.";
        clientid: optional string = 7, "Fingerprint of the client.";
        hashed_password: optional string = 8, is secret, "Salt and hash of the password.";
    }

    Activate = "Command_Activate", "Activates an account." {
        user_name: required string = 1, "Name of the user.";
        token: required string = 2, is secret, "The token from the e-mail.";
        clientid: optional string = 3, "Fingerprint of the client.";
    }

    AccountEdit = "Command_AccountEdit", "Changes the personal data of the account." {
        real_name: optional string = 1, "Real name.";
        email: optional string = 2, "E-mail address.";
        country: optional string = 4, "Two-letter country code.";
        password_check: optional string = 100, is secret, "The current password.";
    }

    AccountImage = "Command_AccountImage", "Changes the avatar." { image: optional bytes = 1, "The avatar, an image file."; }

    AccountPassword = "Command_AccountPassword", "Changes the password." {
        old_password: optional string = 1, is secret, "The current password.";
        new_password: optional string = 2, is secret, "New password in plain text.";
        hashed_new_password: optional string = 4, is secret, "Salt and hash of the new password.";
    }

    ForgotPasswordRequest = "Command_ForgotPasswordRequest", "Requests a token to set a new password." { user_name: required string = 1, "Name of the user."; clientid: optional string = 2, "Fingerprint of the client."; }

    ForgotPasswordReset = "Command_ForgotPasswordReset", "Sets a new password with a token." {
        user_name: required string = 1, "Name of the user.";
        clientid: optional string = 2, "Fingerprint of the client.";
        token: optional string = 3, is secret, "The token from the e-mail.";
        new_password: optional string = 4, is secret, "New password in plain text.";
        hashed_new_password: optional string = 5, is secret, "Salt and hash of the new password.";
    }

    ForgotPasswordChallenge = "Command_ForgotPasswordChallenge", "Proves the e-mail address before a token is sent." {
        user_name: required string = 1, "Name of the user.";
        clientid: optional string = 2, "Fingerprint of the client.";
        email: optional string = 3, "E-mail address.";
    }

    RequestPasswordSalt = "Command_RequestPasswordSalt", "Requests the salt of an account, to hash its password." { user_name: required string = 1, "Name of the user."; }

    SetCardArtParams = "Command_SetCardArtParams", "Chooses the banner." {
        card_name: optional string = 1, "Name of the card.";
        card_provider_id: optional string = 2, "Printing of the card.";
        margin_pct_l: optional double = 3, "Fraction cropped on the left.";
        margin_pct_r: optional double = 4, "Fraction cropped on the right.";
        vertical_offset: optional double = 5, "Vertical position of the visible part.";
        zoom: optional double = 6, "Magnification.";
    }

    UpdateServerMessage = "Command_UpdateServerMessage", "Makes the server reload its message of the day." {}

    ShutdownServer = "Command_ShutdownServer", "Shuts the server down after a delay." { reason: optional string = 1, "Reason."; minutes: optional uint32 = 2, "Delay in minutes; 0 means immediately."; }

    ReloadConfig = "Command_ReloadConfig", "Makes the server reload its configuration." {}

    AdjustMod = "Command_AdjustMod", "Grants or revokes the rights of a moderator, judge or developer." {
        user_name: required string = 1, "Name of the user.";
        should_be_mod: optional bool = 2, "Whether the user is a moderator.";
        should_be_judge: optional bool = 3, "Whether the user is a judge.";
        should_be_developer: optional bool = 4, "Whether the user is a developer. Newer than the recorded server.";
    }

    ResetUserPassword = "Command_ResetUserPassword", "Resets the password of a user." { user_name: optional string = 1, "Name of the user."; }

    GetServerStats = "Command_GetServerStats", "Requests statistics about the server. Newer than the recorded server." {}

    GetLogHistory = "Command_GetLogHistory", "Searches the chat log. Newer than the recorded server." {
        user_name: optional string = 1, "Name of the sender.";
        ip_address: optional string = 2, "Network address.";
        game_name: optional string = 3, "Name of the game.";
        game_id: optional string = 4, "Number of the game.";
        message: optional string = 5, "A part of the text.";
        log_location: repeated string = 6, "Where it was sent: `room`, `game` or `chat`.";
        date_range: required uint32 = 7, "Maximum age in days.";
        maximum_results: optional uint32 = 8, "Maximum number of lines.";
    }

    Shuffle = "Command_Shuffle", "Shuffles a zone or a part of it." {
        zone_name: optional string = 1, "Name of the zone.";
        start: optional sint32 = 2, "The first position.";
        end: optional sint32 = 3, default -1, "The last position; -1 for the end of the zone.";
    }

    Mulligan = "Command_Mulligan", "Takes a mulligan: a new hand." { number: optional uint32 = 7, "Number of cards in the new hand."; }

    DrawCards = "Command_DrawCards", "Draws cards." { number: optional uint32 = 1, "Number of cards."; }

    UndoDraw = "Command_UndoDraw", "Puts the last drawn card back." {}

    FlipCard = "Command_FlipCard", "Turns a card over." {
        zone: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, default -1, "Number of the card.";
        face_down: optional bool = 3, "Whether it lies face down.";
        pt: optional string = 4, "Power and toughness.";
    }

    AttachCard = "Command_AttachCard", "Attaches a card to another one; without a target, detaches it." {
        start_zone: optional string = 1, "Source zone.";
        card_id: optional sint32 = 2, default -1, "Number of the card.";
        target_player_id: optional sint32 = 3, default -1, "Number of the target player.";
        target_zone: optional string = 4, "Target zone.";
        target_card_id: optional sint32 = 5, default -1, "Number of the target card.";
    }

    CreateToken = "Command_CreateToken", "Creates a token." {
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

    CreateArrow = "Command_CreateArrow", "Draws an arrow from a card to a card or a player." {
        start_player_id: optional sint32 = 1, default -1, "Number of the source player.";
        start_zone: optional string = 2, "Source zone.";
        start_card_id: optional sint32 = 3, default -1, "Number of the source card.";
        target_player_id: optional sint32 = 4, default -1, "Number of the target player.";
        target_zone: optional string = 5, "Target zone.";
        target_card_id: optional sint32 = 6, default -1, "Number of the target card.";
        arrow_color: optional message Color = 7, "Its colour.";
        delete_in_phase: optional sint32 = 8, "The phase in which it is deleted.";
    }

    DeleteArrow = "Command_DeleteArrow", "Deletes an arrow." { arrow_id: optional sint32 = 1, default -1, "Number of the arrow."; }

    SetCardAttr = "Command_SetCardAttr", "Sets an attribute of a card; without a card, of all cards in the zone." {
        zone: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, default -1, "Number of the card.";
        attribute: optional enum CardAttribute = 3, "The attribute.";
        attr_value: optional string = 4, "Its new value; `1` or `0` for booleans.";
    }

    DumpZone = "Command_DumpZone", "Looks at the cards of a zone." {
        player_id: optional sint32 = 1, default -1, "Number of the player.";
        zone_name: optional string = 2, "Name of the zone.";
        number_cards: optional sint32 = 3, "Number of cards from the top; -1 for all.";
        is_reversed: optional bool = 4, "Whether positions are counted from the bottom.";
    }

    RevealCards = "Command_RevealCards", "Reveals cards to a player or to all." {
        zone_name: optional string = 1, "Name of the zone.";
        card_id: repeated sint32 = 2, "Numbers of the cards; -2 for a random one.";
        player_id: optional sint32 = 3, default -1, "Number of the player to whom they are revealed; -1 for all.";
        grant_write_access: optional bool = 4, "Whether the others may move them.";
        top_cards: optional sint32 = 5, default -1, "Number of cards from the top; -1 for none.";
    }

    MoveCard = "Command_MoveCard", "Moves cards." {
        start_player_id: optional sint32 = 1, default -1, "Number of the source player.";
        start_zone: optional string = 2, "Source zone.";
        cards_to_move: optional message CardsToMove = 3, "The cards.";
        target_player_id: optional sint32 = 4, default -1, "Number of the target player.";
        target_zone: optional string = 5, "Target zone.";
        x: optional sint32 = 6, default -1, "Column on the table, or position in the zone; -1 for the end.";
        y: optional sint32 = 7, default -1, "Row on the table.";
        is_reversed: optional bool = 8, "Whether positions are counted from the bottom.";
    }

    ChangeZoneProperties = "Command_ChangeZoneProperties", "Changes who sees the top card of a zone." {
        zone_name: optional string = 1, "Name of the zone.";
        always_reveal_top_card: optional bool = 10, "Whether its top card is revealed to all.";
        always_look_at_top_card: optional bool = 11, "Whether its owner sees its top card.";
    }

    CardsToMove = "ListOfCardsToMove", "Cards that are moved together." { card: repeated message CardToMove = 1, "The cards."; }

    CardToMove = "CardToMove", "A card that is moved." {
        card_id: optional sint32 = 1, default -1, "Number of the card; in a hidden zone its position.";
        face_down: optional bool = 2, "Whether to put it face down.";
        pt: optional string = 3, "Power and toughness.";
        tapped: optional bool = 4, "Whether to tap it.";
    }

    SetCardCounter = "Command_SetCardCounter", "Sets a counter on a card." {
        zone: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, default -1, "Number of the card.";
        counter_id: optional sint32 = 3, default -1, "Number of the counter.";
        counter_value: optional sint32 = 4, "Its new value.";
    }

    IncCardCounter = "Command_IncCardCounter", "Changes a counter on a card." {
        zone: optional string = 1, "Name of the zone.";
        card_id: optional sint32 = 2, default -1, "Number of the card.";
        counter_id: optional sint32 = 3, default -1, "Number of the counter.";
        counter_delta: optional sint32 = 4, "The difference; may be negative.";
    }

    IncCounter = "Command_IncCounter", "Changes a counter of the player." { counter_id: optional sint32 = 1, default -1, "Number of the counter."; delta: optional sint32 = 2, "The difference; may be negative."; }

    CreateCounter = "Command_CreateCounter", "Creates a counter of the player." {
        counter_name: optional string = 1, "Name of the counter.";
        counter_color: optional message Color = 2, "Its colour.";
        radius: optional uint32 = 3, "Radius at which it is displayed.";
        value: optional sint32 = 4, "Its initial value.";
    }

    SetCounter = "Command_SetCounter", "Sets a counter of the player." { counter_id: optional sint32 = 1, default -1, "Number of the counter."; value: optional sint32 = 2, "Its new value."; }

    DelCounter = "Command_DelCounter", "Deletes a counter of the player." { counter_id: optional sint32 = 1, default -1, "Number of the counter."; }

    CreateCastCount = "Command_CreateCastCount", "Creates a counter of how often a card was cast. Newer than the recorded server." { index: optional sint32 = 1, default 1, "Number of the counter."; }

    DeckList = "Command_DeckList", "Requests the list of stored decks." {}

    DeckNewDir = "Command_DeckNewDir", "Creates a folder of decks." { path: optional string = 1, "Path of the folder."; dir_name: optional string = 2, "Name of the new folder."; }

    DeckDelDir = "Command_DeckDelDir", "Deletes a folder of decks." { path: optional string = 1, "Path of the folder."; }

    DeckDel = "Command_DeckDel", "Deletes a stored deck." { deck_id: optional sint32 = 1, default -1, "Number of the stored deck."; }

    DeckDownload = "Command_DeckDownload", "Downloads a stored deck." { deck_id: optional sint32 = 1, default -1, "Number of the stored deck."; }

    DeckUpload = "Command_DeckUpload", "Stores a deck: a new one in `path`, or as a replacement of `deck_id`." {
        path: optional string = 1, "Path of the folder.";
        deck_id: optional uint32 = 2, "Number of the stored deck.";
        deck_list: optional string = 3, "The deck file.";
    }

    DeckShareDownload = "Command_DeckShareDownload", "Downloads a deck that a link shares. Newer than the recorded server." {
        token: optional string = 1, is secret, "The token of the link.";
        item_id: optional uint32 = 2, "Number of the deck.";
    }

    DeckListOtherUser = "Command_DeckListOtherUser", "Requests the public decks of a user. Newer than the recorded server." { user_name: optional string = 1, "Name of the user."; }

    DeckSetVisibility = "Command_DeckSetVisibility", "Makes a deck or a folder public or private. Newer than the recorded server." {
        deck_id: optional uint32 = 1, "Number of the stored deck.";
        folder_path: optional string = 2, "Path of the folder.";
        is_public: optional bool = 3, "Whether it is public.";
    }

    DeckDownloadPublic = "Command_DeckDownloadPublic", "Downloads a public deck. Newer than the recorded server." { deck_id: optional uint32 = 1, "Number of the stored deck."; }

    DeckShareListMine = "Command_DeckShareListMine", "Requests the user's own links. Newer than the recorded server." {}

    DeckShareRemove = "Command_DeckShareRemove", "Deletes a link. Newer than the recorded server." { share_id: optional uint32 = 1, "Number of the link."; }

    KickFromGame = "Command_KickFromGame", "Kicks a player. For the host and for moderators." { player_id: optional sint32 = 1, default -1, "Number of the player."; }

    LeaveGame = "Command_LeaveGame", "Leaves the game." {}

    GameSay = "Command_GameSay", "Sends a chat message to the game." { message: optional string = 1, "The text."; }

    RollDie = "Command_RollDie", "Rolls dice." { sides: optional uint32 = 1, "Number of sides of a die."; count: optional uint32 = 2, "Number of dice."; }

    ReadyStart = "Command_ReadyStart", "Sets whether the player is ready; the game starts when all are." {
        ready: optional bool = 1, "Whether the player is ready.";
        force_start: optional bool = 2, "Whether to start without the players who are not ready. For the host.";
    }

    Concede = "Command_Concede", "Concedes the game." {}

    NextTurn = "Command_NextTurn", "Ends the turn." {}

    SetActivePhase = "Command_SetActivePhase", "Changes to another phase of the turn." { phase: optional uint32 = 1, "Number of the phase."; }

    SetSideboardPlan = "Command_SetSideboardPlan", "Plans which cards to exchange with the sideboard before the next game." { move_list: repeated message MoveToZone = 1, "The moves."; }

    DeckSelect = "Command_DeckSelect", "Selects a deck: a deck file or a stored deck." { deck: optional string = 1, "The deck file."; deck_id: optional sint32 = 2, default -1, "Number of the stored deck; takes precedence over the file."; }

    SetSideboardLock = "Command_SetSideboardLock", "Locks or unlocks the sideboard." { locked: optional bool = 1, "Whether it is locked."; }

    Unconcede = "Command_Unconcede", "Revokes the concession." {}

    Judge = "Command_Judge", "Executes a command on behalf of a player. For judges." { target_id: optional sint32 = 1, default -1, "Number of the player."; game_command: repeated message GameCommand = 2, "The commands."; }

    ReverseTurn = "Command_ReverseTurn", "Reverses the order of turns." {}

    SetPlaymat = "Command_SetPlaymat", "Selects the playmat." { playmat_params: optional message Playmat = 1, "The playmat."; }

    SetPlayerOrder = "Command_SetPlayerOrder", "Sets the order of the players. Newer than the recorded server." { player_names: repeated string = 1, "Names of the players."; randomize: optional bool = 2, "Whether the order is random."; }

    MoveToZone = "MoveCard_ToZone", "A card to move between main deck and sideboard." {
        card_name: optional string = 1, "Name of the card.";
        start_zone: optional string = 2, "Source zone: `main` or `side`.";
        target_zone: optional string = 3, "Target zone: `main` or `side`.";
    }

    BanFromServer = "Command_BanFromServer", "Bans a user, an address or a client." {
        user_name: optional string = 1, "Name of the user.";
        address: optional string = 2, "Network address.";
        minutes: optional uint32 = 3, "Duration in minutes; 0 for a permanent ban.";
        reason: optional string = 4, "Reason for other moderators.";
        visible_reason: optional string = 5, "Reason that the user sees.";
        clientid: optional string = 6, "Fingerprint of the client.";
        remove_messages: optional uint32 = 7, "Number of the user's last messages to remove.";
    }

    GetBanHistory = "Command_GetBanHistory", "Requests the bans of a user." { user_name: optional string = 1, "Name of the user."; }

    WarnUser = "Command_WarnUser", "Warns a user." {
        user_name: optional string = 1, "Name of the user.";
        reason: optional string = 2, "Reason.";
        clientid: optional string = 3, "Fingerprint of the client.";
        remove_messages: optional uint32 = 4, "Number of the user's last messages to remove.";
    }

    GetWarnHistory = "Command_GetWarnHistory", "Requests the warnings of a user." { user_name: optional string = 1, "Name of the user."; }

    GetWarnList = "Command_GetWarnList", "Requests the predefined warnings." {
        mod_name: optional string = 1, "Name of the moderator.";
        user_name: optional string = 2, "Name of the user to be warned.";
        user_clientid: optional string = 3, "Fingerprint of the user's client.";
    }

    ViewLogHistory = "Command_ViewLogHistory", "Searches the chat log." {
        user_name: optional string = 1, "Name of the sender.";
        ip_address: optional string = 2, "Network address.";
        game_name: optional string = 3, "Name of the game.";
        game_id: optional string = 4, "Number of the game.";
        message: optional string = 5, "A part of the text.";
        log_location: repeated string = 6, "Where it was sent: `room`, `game` or `chat`.";
        date_range: required uint32 = 7, "Maximum age in days.";
        maximum_results: optional uint32 = 8, "Maximum number of lines.";
    }

    GrantReplayAccess = "Command_GrantReplayAccess", "Gives a moderator access to a recorded game." { replay_id: optional uint32 = 1, "Number of the recording."; moderator_name: optional string = 2, "Name of the moderator."; }

    ForceActivateUser = "Command_ForceActivateUser", "Activates the account of a user." { username_to_activate: optional string = 1, "Name of the user."; moderator_name: optional string = 2, "Name of the moderator."; }

    GetAdminNotes = "Command_GetAdminNotes", "Requests the notes on a user." { user_name: optional string = 1, "Name of the user."; }

    UpdateAdminNotes = "Command_UpdateAdminNotes", "Replaces the notes on a user." { user_name: optional string = 1, "Name of the user."; notes: optional string = 2, "The notes."; }

    AddCardArtRule = "Command_AddCardArtRule", "Adds a rule for banners." {
        card_name: optional string = 1, "Name of the card.";
        card_provider_id: optional string = 2, "Printing of the card.";
        mode: optional string = 3, "The type of the rule.";
        reason: optional string = 4, "Reason.";
    }

    RemoveCardArtRule = "Command_RemoveCardArtRule", "Removes a rule for banners." { card_name: optional string = 1, "Name of the card."; card_provider_id: optional string = 2, "Printing of the card."; }

    ListCardArtRules = "Command_ListCardArtRules", "Requests the rules for banners." {}

    GetUserSessions = "Command_GetUserSessions", "Requests the sessions of a user." { user_name: optional string = 1, "Name of the user."; limit: optional uint32 = 2, default 110, "Maximum number of entries."; }

    GetUserAlts = "Command_GetUserAlts", "Requests the other accounts of a user." { user_name: optional string = 1, "Name of the user."; }

    GetModeratorLastLogins = "Command_GetModeratorLastLogins", "Requests the last login of each moderator." {}

    RemoveUserAvatar = "Command_RemoveUserAvatar", "Removes the avatar of a user." { user_name: optional string = 1, "Name of the user."; }

    ReportList = "Command_ReportList", "Requests the reports." {
        unresolved_only: optional bool = 1, "Whether to omit closed reports.";
        offset: optional uint32 = 2, "Number of entries to skip.";
        limit: optional uint32 = 3, default 100, "Maximum number of entries.";
    }

    ReportAssign = "Command_ReportAssign", "Assigns a report to the moderator." { report_id: required int32 = 1, "Number of the report."; }

    ReportResolve = "Command_ReportResolve", "Closes a report." {
        report_id: required int32 = 1, "Number of the report.";
        resolution_note: optional string = 2, "How it was resolved.";
        dismissed: optional bool = 3, "Whether it was unfounded.";
    }

    ReplayDownloadByGameId = "Command_ReplayDownloadByGameId", "Downloads a recorded game by the number of the game." { game_id: required sint32 = 1, "Number of the game."; }

    ReportUserInfo = "Command_ReportUserInfo", "Requests a summary of the reports about a user." { user_name: optional string = 1, "Name of the user."; }

    ReportStats = "Command_ReportStats", "Requests statistics about reports." {}

    ReportReopen = "Command_ReportReopen", "Reopens a closed report. Newer than the recorded server." { report_id: required int32 = 1, "Number of the report."; reopen_note: optional string = 2, "Reason."; }

    UserMessage = "Command_Message", "Sends a private message to a user." { user_name: optional string = 1, "Name of the user."; message: optional string = 2, "The text."; }

    ListUsers = "Command_ListUsers", "Requests the list of users who are online, and updates to it." {}

    GetGamesOfUser = "Command_GetGamesOfUser", "Requests the games of a user." { user_name: optional string = 1, "Name of the user."; }

    GetUserInfo = "Command_GetUserInfo", "Requests the data of a user; without a name, of the caller." { user_name: optional string = 1, "Name of the user; empty for the caller."; }

    AddToList = "Command_AddToList", "Adds a user to a list of the caller." { list: optional string = 1, "Name of the list: `buddy` or `ignore`."; user_name: optional string = 2, "Name of the user."; }

    RemoveFromList = "Command_RemoveFromList", "Removes a user from a list of the caller." { list: optional string = 1, "Name of the list: `buddy` or `ignore`."; user_name: optional string = 2, "Name of the user."; }

    ListRooms = "Command_ListRooms", "Requests the list of rooms, and updates to it." {}

    JoinRoom = "Command_JoinRoom", "Joins a room." { room_id: optional id = 1, "Number of the room."; }

    ReplayList = "Command_ReplayList", "Requests the list of recorded matches." {}

    ReplayDownload = "Command_ReplayDownload", "Downloads a recorded game." { replay_id: optional sint32 = 1, default -1, "Number of the recording."; }

    ReplayModifyMatch = "Command_ReplayModifyMatch", "Sets whether a recorded match is kept." { game_id: optional sint32 = 1, default -1, "Number of the match."; do_not_hide: optional bool = 2, "Whether it is kept."; }

    ReplayDeleteMatch = "Command_ReplayDeleteMatch", "Deletes a recorded match from the user's list." { game_id: optional sint32 = 1, default -1, "Number of the game."; }

    ReplayGetCode = "Command_ReplayGetCode", "Requests a code that gives others access to a recorded match." { game_id: optional sint32 = 1, default -1, "Number of the game."; }

    ReplaySubmitCode = "Command_ReplaySubmitCode", "Gets access to a recorded match with a code." { replay_code: optional string = 1, is secret, "The code."; }

    Report = "Command_Report", "Reports a user." {
        reported_user: optional string = 1, "Name of the reported user.";
        game_id: optional int32 = 2, "Number of the game.";
        category: optional string = 3, "Its category.";
        description: optional string = 4, "Description.";
        chat_log: optional string = 5, "Chat log at the time.";
    }

    ReportMyList = "Command_ReportMyList", "Requests the user's own reports." {}

    ReportAddComment = "Command_ReportAddComment", "Comments on a report." { report_id: required int32 = 1, "Number of the report."; comment: required string = 2, "The comment."; }

    ReportDetails = "Command_ReportDetails", "Requests a report with its comments." { report_id: required int32 = 1, "Number of the report."; }

    LeaveRoom = "Command_LeaveRoom", "Leaves the room." {}

    RoomSay = "Command_RoomSay", "Sends a chat message to the room." { message: optional string = 1, "The text."; }

    CreateGame = "Command_CreateGame", "Creates a game in the room and joins it." {
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

    JoinGame = "Command_JoinGame", "Joins a game in the room." {
        game_id: optional sint32 = 1, default -1, "Number of the game.";
        password: optional string = 2, is secret, "Password of the game.";
        spectator: optional bool = 3, "Whether to join as a spectator.";
        override_restrictions: optional bool = 4, "Whether to ignore restrictions. For moderators.";
        join_as_judge: optional bool = 5, "Whether to join as a judge.";
    }
}

enumeration! {
    TargetMode, "How a token relates to its target card." { AttachTo = 0 ("ATTACH_TO"), "It is attached to it."; TransformInto = 1 ("TRANSFORM_INTO"), "It replaces it."; }
}

family! {
    SessionCommandKind, SessionCommandPayload of "SessionCommand", "Command_":
        Ping 1000 PING, Login 1001 LOGIN, UserMessage(Message) 1002 MESSAGE, ListUsers 1003 LIST_USERS, GetGamesOfUser 1004 GET_GAMES_OF_USER,
        GetUserInfo 1005 GET_USER_INFO, AddToList 1006 ADD_TO_LIST, RemoveFromList 1007 REMOVE_FROM_LIST, DeckList 1008 DECK_LIST,
        DeckNewDir 1009 DECK_NEW_DIR, DeckDelDir 1010 DECK_DEL_DIR, DeckDel 1011 DECK_DEL, DeckDownload 1012 DECK_DOWNLOAD, DeckUpload 1013 DECK_UPLOAD,
        ListRooms 1014 LIST_ROOMS, JoinRoom 1015 JOIN_ROOM, Register 1016 REGISTER, Activate 1017 ACTIVATE, AccountEdit 1018 ACCOUNT_EDIT,
        AccountImage 1019 ACCOUNT_IMAGE, AccountPassword 1020 ACCOUNT_PASSWORD, ForgotPasswordRequest 1021 FORGOT_PASSWORD_REQUEST,
        ForgotPasswordReset 1022 FORGOT_PASSWORD_RESET, ForgotPasswordChallenge 1023 FORGOT_PASSWORD_CHALLENGE,
        RequestPasswordSalt 1024 REQUEST_PASSWORD_SALT, SetCardArtParams 1025 SET_CARD_ART_PARAMS, DeckShareDownload 1028 DECK_SHARE_DOWNLOAD,
        DeckListOtherUser 1029 DECK_LIST_OTHER_USER, DeckSetVisibility 1030 DECK_SET_VISIBILITY, DeckDownloadPublic 1031 DECK_DOWNLOAD_PUBLIC,
        DeckShareListMine 1032 DECK_SHARE_LIST_MINE, DeckShareRemove 1033 DECK_SHARE_REMOVE, ReplayList 1100 REPLAY_LIST,
        ReplayDownload 1101 REPLAY_DOWNLOAD, ReplayModifyMatch 1102 REPLAY_MODIFY_MATCH, ReplayDeleteMatch 1103 REPLAY_DELETE_MATCH,
        ReplayGetCode 1104 REPLAY_GET_CODE, ReplaySubmitCode 1105 REPLAY_SUBMIT_CODE, Report 1200 REPORT, ReportMyList 1204 REPORT_MY_LIST,
        ReportAddComment 1205 REPORT_ADD_COMMENT, ReportDetails 1206 REPORT_DETAILS,
}

family! {
    RoomCommandKind, RoomCommandPayload of "RoomCommand", "Command_":
        LeaveRoom 1000 LEAVE_ROOM, RoomSay 1001 ROOM_SAY, CreateGame 1002 CREATE_GAME, JoinGame 1003 JOIN_GAME,
}

family! {
    GameCommandKind, GameCommandPayload of "GameCommand", "Command_":
        KickFromGame 1000 KICK_FROM_GAME, LeaveGame 1001 LEAVE_GAME, GameSay 1002 GAME_SAY, Shuffle 1003 SHUFFLE, Mulligan 1004 MULLIGAN,
        RollDie 1005 ROLL_DIE, DrawCards 1006 DRAW_CARDS, UndoDraw 1007 UNDO_DRAW, FlipCard 1008 FLIP_CARD, AttachCard 1009 ATTACH_CARD,
        CreateToken 1010 CREATE_TOKEN, CreateArrow 1011 CREATE_ARROW, DeleteArrow 1012 DELETE_ARROW, SetCardAttr 1013 SET_CARD_ATTR,
        SetCardCounter 1014 SET_CARD_COUNTER, IncCardCounter 1015 INC_CARD_COUNTER, ReadyStart 1016 READY_START, Concede 1017 CONCEDE,
        IncCounter 1018 INC_COUNTER, CreateCounter 1019 CREATE_COUNTER, SetCounter 1020 SET_COUNTER, DelCounter 1021 DEL_COUNTER, NextTurn 1022 NEXT_TURN,
        SetActivePhase 1023 SET_ACTIVE_PHASE, DumpZone 1024 DUMP_ZONE, RevealCards 1026 REVEAL_CARDS, MoveCard 1027 MOVE_CARD,
        SetSideboardPlan 1028 SET_SIDEBOARD_PLAN, DeckSelect 1029 DECK_SELECT, SetSideboardLock 1030 SET_SIDEBOARD_LOCK,
        ChangeZoneProperties 1031 CHANGE_ZONE_PROPERTIES, Unconcede 1032 UNCONCEDE, Judge 1033 JUDGE, ReverseTurn 1034 REVERSE_TURN,
        SetPlaymat 1035 SET_PLAYMAT, CreateCastCount 1036 CREATE_CAST_COUNT, SetPlayerOrder 1206 SET_PLAYER_ORDER,
}

family! {
    ModeratorCommandKind, ModeratorCommandPayload of "ModeratorCommand", "Command_":
        BanFromServer 1000 BAN_FROM_SERVER, GetBanHistory 1001 BAN_HISTORY, WarnUser 1002 WARN_USER, GetWarnHistory 1003 WARN_HISTORY,
        GetWarnList 1004 WARN_LIST, ViewLogHistory 1005 VIEWLOG_HISTORY, GrantReplayAccess 1006 GRANT_REPLAY_ACCESS,
        ForceActivateUser 1007 FORCE_ACTIVATE_USER, GetAdminNotes 1008 GET_ADMIN_NOTES, UpdateAdminNotes 1009 UPDATE_ADMIN_NOTES,
        AddCardArtRule 1010 ADD_CARD_ART_RULE, RemoveCardArtRule 1011 REMOVE_CARD_ART_RULE, ListCardArtRules 1012 LIST_CARD_ART_RULES,
        GetUserSessions 1013 GET_USER_SESSIONS, GetUserAlts 1014 GET_USER_ALTS, GetModeratorLastLogins 1015 GET_MODERATOR_LAST_LOGINS,
        RemoveUserAvatar 1017 REMOVE_USER_AVATAR, ReportList 1200 REPORT_LIST, ReportAssign 1201 REPORT_ASSIGN, ReportResolve 1202 REPORT_RESOLVE,
        ReplayDownloadByGameId 1203 REPLAY_DOWNLOAD_BY_GAME_ID, ReportUserInfo 1204 REPORT_USER_INFO, ReportStats 1205 REPORT_STATS,
        ReportReopen 1206 REPORT_REOPEN,
}

family! {
    AdminCommandKind, AdminCommandPayload of "AdminCommand", "Command_":
        UpdateServerMessage 1000 UPDATE_SERVER_MESSAGE, ShutdownServer 1001 SHUTDOWN_SERVER, ReloadConfig 1002 RELOAD_CONFIG, AdjustMod 1003 ADJUST_MOD,
        ResetUserPassword 1016 RESET_USER_PASSWORD,
}

family! {
    DeveloperCommandKind, DeveloperCommandPayload of "DeveloperCommand", "Command_":
        GetServerStats 1000 GET_SERVER_STATS, GetLogHistory 1001 GET_LOG_HISTORY,
}
