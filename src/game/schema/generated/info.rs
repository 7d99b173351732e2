// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;

message! {
    /// A stored deck.
    pub struct DeckFile = "ServerInfo_DeckStorage_File" {
        /// When it was stored, in seconds since 1970.
        creation_time: optional uint32 = 1;
    }

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

    /// A kind of game that a room offers.
    pub struct GameType = "ServerInfo_GameType" {
        /// Number of the kind within the room.
        game_type_id: optional sint32 = 1;
        /// Name of the kind.
        description: optional string = 2;
    }

    /// A game in a room.
    pub struct Game = "ServerInfo_Game" {
        /// Number of the server.
        server_id: optional sint32 = 1, default -1;
        /// Number of the room.
        room_id: optional sint32 = 2, default -1;
        /// Number of the game.
        game_id: optional sint32 = 3, default -1;
        /// What its creator calls it.
        description: optional string = 4;
        /// Whether players need a password.
        with_password: optional bool = 5;
        /// Seats.
        max_players: optional uint32 = 6;
        /// Numbers of the room's kinds that it is of.
        game_types: repeated sint32 = 7;
        /// Who made it.
        creator_info: optional message User = 8;
        /// Whether only buddies of the creator may join.
        only_buddies: optional bool = 9;
        /// Whether only registered users may join.
        only_registered: optional bool = 10;
        /// Whether it may be watched.
        spectators_allowed: optional bool = 11;
        /// Whether spectators need the password.
        spectators_need_password: optional bool = 12;
        /// Whether spectators may talk.
        spectators_can_chat: optional bool = 13;
        /// Whether spectators see hidden cards.
        spectators_omniscient: optional bool = 14;
        /// Whether deck lists are shown to all when loaded.
        share_decklists_on_load: optional bool = 15;
        /// Players at the table.
        player_count: optional uint32 = 30;
        /// Spectators.
        spectators_count: optional uint32 = 31;
        /// Whether it has begun.
        started: optional bool = 50;
        /// When it was made, in seconds since 1970.
        start_time: optional uint32 = 51;
        /// Whether it is over.
        closed: optional bool = 52;
        /// Who may change it now.
        host_info: optional message User = 53;
    }

    /// A ban.
    pub struct Ban = "ServerInfo_Ban" {
        /// Number of the moderator's account.
        admin_id: required string = 1;
        /// Name of the moderator.
        admin_name: required string = 2;
        /// When it began.
        ban_time: required string = 3;
        /// Length in minutes.
        ban_length: required string = 4;
        /// Reason, for moderators.
        ban_reason: optional string = 5;
        /// Reason, for the user.
        visible_reason: optional string = 6;
    }

    /// A warning that was given.
    pub struct Warning = "ServerInfo_Warning" {
        /// Who was warned.
        user_name: optional string = 1;
        /// Who warned.
        admin_name: optional string = 2;
        /// Why.
        reason: optional string = 3;
        /// When.
        time_of: optional string = 4;
    }

    /// A line of the chat log.
    pub struct ChatMessage = "ServerInfo_ChatMessage" {
        /// When.
        time: optional string = 1;
        /// Number of the sender's account.
        sender_id: optional string = 2;
        /// Who said it.
        sender_name: optional string = 3;
        /// Network address of the sender.
        sender_ip: optional string = 4;
        /// What was said.
        message: optional string = 5;
        /// Where it was said: room, game or chat.
        target_type: optional string = 6;
        /// Number of the room, game or user.
        target_id: optional string = 7;
        /// Name of the room, game or user.
        target_name: optional string = 8;
    }

    /// A session of a user.
    pub struct UserSession = "ServerInfo_UserSession" {
        /// Whose.
        user_name: optional string = 1;
        /// Network address.
        ip_address: optional string = 2;
        /// Fingerprint of the client.
        clientid: optional string = 3;
        /// When it began, in seconds since 1970.
        start_time: optional uint64 = 4;
        /// When it ended, in seconds since 1970.
        end_time: optional uint64 = 5;
        /// How the client was connected.
        connection_type: optional string = 6;
    }

    /// An account that may be of the same person.
    pub struct UserAlt = "ServerInfo_UserAlt" {
        /// Name.
        user_name: optional string = 1;
        /// E-mail address.
        email: optional string = 2;
        /// Fingerprint of the client.
        clientid: optional string = 3;
        /// When it was registered, in seconds since 1970.
        registration_time: optional uint64 = 4;
        /// Last login, in seconds since 1970.
        last_login: optional uint64 = 5;
        /// Warnings.
        warn_count: optional uint32 = 6;
        /// Bans.
        ban_count: optional uint32 = 7;
        /// Whether it is activated.
        is_active: optional bool = 8;
    }

    /// When a moderator was last there.
    pub struct ModeratorLogin = "ServerInfo_ModeratorLogin" {
        /// Name.
        user_name: optional string = 1;
        /// Last login, in seconds since 1970.
        last_login: optional uint64 = 2;
        /// Bits that say what the user is.
        user_level: optional uint32 = 3;
    }

    /// A colour: each part from 0 to 255.
    pub struct Color = "color" {
        /// Red.
        r: optional uint32 = 1;
        /// Green.
        g: optional uint32 = 2;
        /// Blue.
        b: optional uint32 = 3;
        /// How opaque it is.
        a: optional uint32 = 4;
    }

    /// A counter of a player: life and the like.
    pub struct Counter = "ServerInfo_Counter" {
        /// Number of the counter.
        id: optional sint32 = 1;
        /// Name of the counter.
        name: optional string = 2;
        /// Its colour.
        counter_color: optional message Color = 3;
        /// Its size in pixels.
        radius: optional sint32 = 4;
        /// Its value.
        count: optional sint32 = 5;
        /// Whether it is shown. Newer than the recorded server.
        active: optional bool = 6, default true;
    }

    /// An arrow from a card to a card or a player.
    pub struct Arrow = "ServerInfo_Arrow" {
        /// Number of the arrow.
        id: optional sint32 = 1;
        /// Number of the player that it comes from.
        start_player_id: optional sint32 = 2;
        /// Zone that it comes from.
        start_zone: optional string = 3;
        /// Number of the card that it comes from.
        start_card_id: optional sint32 = 4;
        /// Number of the player that it goes to.
        target_player_id: optional sint32 = 5;
        /// Zone that it goes to; absent if it goes to the player.
        target_zone: optional string = 6;
        /// Number of the card that it goes to; absent if it goes to the player.
        target_card_id: optional sint32 = 7;
        /// Its colour.
        arrow_color: optional message Color = 8;
    }

    /// Who a player is, and how they are doing. In an event only what has changed.
    pub struct PlayerProperties = "ServerInfo_PlayerProperties" {
        /// Number of the player within the game.
        player_id: optional sint32 = 1;
        /// The user.
        user_info: optional message User = 2;
        /// Whether as a spectator.
        spectator: optional bool = 3;
        /// Whether they gave up.
        conceded: optional bool = 4;
        /// Whether they are ready.
        ready_start: optional bool = 5;
        /// Fingerprint of the deck.
        deck_hash: optional string = 6;
        /// For how many seconds they were silent; -1 if they are cut off.
        ping_seconds: optional sint32 = 7;
        /// Whether the sideboard is locked.
        sideboard_locked: optional bool = 8;
        /// Whether as a judge.
        judge: optional bool = 9;
        /// The picture of the table.
        playmat_params: optional message Playmat = 10;
    }

    /// The picture of a table, cut out of a card's picture.
    pub struct Playmat = "ServerInfo_PlayerProperties.PlaymatParams" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Which printing of the card.
        card_provider_id: optional string = 2;
        /// Share cut off at the left.
        margin_pct_l: optional double = 3, default 0.07;
        /// Share cut off at the right.
        margin_pct_r: optional double = 4, default 0.07;
        /// Where it is cut vertically.
        vertical_offset: optional double = 5, default 0.33;
        /// Magnification.
        zoom: optional double = 6, default 1.0;
    }

    /// A player, with all that lies before them.
    pub struct Player = "ServerInfo_Player" {
        /// Who it is.
        properties: optional message PlayerProperties = 1;
        /// The deck file, for the player.
        deck_list: optional string = 2;
        /// The player's zones.
        zone_list: repeated message Zone = 3;
        /// The player's counters.
        counter_list: repeated message Counter = 4;
        /// The player's arrows.
        arrow_list: repeated message Arrow = 5;
    }

    /// A recorded game.
    pub struct Replay = "ServerInfo_Replay" {
        /// Number of the recording.
        replay_id: optional sint32 = 1, default -1;
        /// Name.
        replay_name: optional string = 2;
        /// Length in seconds.
        duration: optional uint32 = 3;
    }

    /// A recorded match: games of the same players.
    pub struct ReplayMatch = "ServerInfo_ReplayMatch" {
        /// The games.
        replay_list: repeated message Replay = 1;
        /// Number of the game that it was.
        game_id: optional sint32 = 2, default -1;
        /// Room in which it was played.
        room_name: optional string = 3;
        /// When it began, in seconds since 1970.
        time_started: optional uint32 = 4;
        /// Length in seconds.
        length: optional uint32 = 5;
        /// What it was called.
        game_name: optional string = 6;
        /// Who played.
        player_names: repeated string = 7;
        /// Whether the user keeps it.
        do_not_hide: optional bool = 8;
    }

    /// A comment on a report.
    pub struct ReportComment = "ServerInfo_ReportComment" {
        /// Who wrote it.
        author_name: optional string = 1;
        /// The text.
        comment_text: optional string = 2;
        /// When, in seconds since 1970.
        comment_time: optional int64 = 3;
        /// Whether a moderator wrote it.
        is_moderator: optional bool = 4;
    }

    /// A report of one player about another.
    pub struct Report = "ServerInfo_Report" {
        /// Number of the report.
        report_id: optional int32 = 1;
        /// Who reports.
        reporter_name: optional string = 2;
        /// Who is reported.
        reported_user_name: optional string = 3;
        /// Number of the game.
        game_id: optional int32 = 4;
        /// Number of its recording.
        replay_id: optional int32 = 5;
        /// Number of the room.
        room_id: optional int32 = 6;
        /// What it is about.
        category: optional string = 7;
        /// How far it is dealt with.
        status: optional string = 8;
        /// What the reporter says.
        description: optional string = 9;
        /// When, in seconds since 1970.
        report_time: optional int64 = 10;
        /// Which moderator deals with it.
        assigned_mod_name: optional string = 11;
        /// When it was resolved, in seconds since 1970.
        resolution_time: optional int64 = 12;
        /// Comments on it.
        comments: repeated message ReportComment = 13;
        /// Chat at the time.
        chat_log: optional string = 14;
        /// How it was resolved.
        resolution_note: optional string = 15;
    }

    /// How many reports are of a category.
    pub struct ReportCategoryCount = "ReportCategoryCount" {
        /// The category.
        category: optional string = 1;
        /// How many.
        count: optional int32 = 2;
    }

    /// A user who reports, or is reported, often.
    pub struct ReportTopUser = "ReportTopUser" {
        /// Name.
        user_name: optional string = 1;
        /// How often.
        count: optional int32 = 2;
    }

    /// A room.
    pub struct Room = "ServerInfo_Room" {
        /// Number of the room.
        room_id: optional sint32 = 1;
        /// Name.
        name: optional string = 2;
        /// What it is for.
        description: optional string = 3;
        /// Games in it.
        game_count: optional uint32 = 4;
        /// Users in it.
        player_count: optional uint32 = 5;
        /// Whether clients join it by themselves.
        auto_join: optional bool = 6;
        /// The games.
        game_list: repeated message Game = 7;
        /// The users.
        user_list: repeated message User = 8;
        /// The kinds of games it offers.
        gametype_list: repeated message GameType = 9;
        /// What a user must be to see it.
        permissionlevel: optional string = 10;
        /// Which privilege a user needs to join it.
        privilegelevel: optional string = 11;
    }

    /// A user. Which fields are there depends on the asker: most are for the user and for moderators.
    pub struct User = "ServerInfo_User" {
        /// Name.
        name: optional string = 1;
        /// Bits that say what the user is: registered, moderator, judge and so on.
        user_level: optional uint32 = 2;
        /// Network address.
        address: optional string = 3;
        /// Real name, as given by the user.
        real_name: optional string = 4;
        /// Two letters of the country.
        country: optional string = 6;
        /// Portrait, an image file.
        avatar_bmp: optional bytes = 7;
        /// Number of the account.
        id: optional sint32 = 8, default -1;
        /// Number of the server, if several share a database.
        server_id: optional sint32 = 9, default -1;
        /// Number of the session.
        session_id: optional uint64 = 10;
        /// Age of the account in seconds.
        accountage_secs: optional uint64 = 11;
        /// E-mail address.
        email: optional string = 12;
        /// Fingerprint of the client.
        clientid: optional string = 13;
        /// Name of the privilege level.
        privlevel: optional string = 14;
        /// Colours of the pawn icon.
        pawn_colors: optional message PawnColors = 15;
        /// The banner.
        card_art_params: optional message CardArt = 16;
    }

    /// Colours that a user chose for the pawn icon.
    pub struct PawnColors = "ServerInfo_User.PawnColorsOverride" {
        /// Colour of the left half.
        left_side: optional string = 1;
        /// Colour of the right half.
        right_side: optional string = 2;
    }

    /// The part of a card's art that a user shows as a banner.
    pub struct CardArt = "ServerInfo_User.CardArtParams" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Which printing of the card.
        card_provider_id: optional string = 2;
        /// Share of the width that is cut off on the left.
        margin_pct_l: optional double = 3, default 0.33;
        /// Share of the width that is cut off on the right.
        margin_pct_r: optional double = 4, default 0.02;
        /// Where the visible stripe begins, as a share of the height.
        vertical_offset: optional double = 5, default 0.35;
        /// Magnification.
        zoom: optional double = 6, default 1.0;
    }

    /// A counter on a card.
    pub struct CardCounter = "ServerInfo_CardCounter" {
        /// Number of the counter.
        id: optional sint32 = 1;
        /// Its value.
        value: optional sint32 = 2;
    }

    /// A card on the table or in a zone. Hidden cards have a number only.
    pub struct Card = "ServerInfo_Card" {
        /// Number of the card within its zone.
        id: optional sint32 = 1, default -1;
        /// Name.
        name: optional string = 2;
        /// Column on the table.
        x: optional sint32 = 3, default -1;
        /// Row on the table.
        y: optional sint32 = 4, default -1;
        /// Whether it lies face down.
        face_down: optional bool = 5;
        /// Whether it is tapped.
        tapped: optional bool = 6;
        /// Whether it attacks.
        attacking: optional bool = 7;
        /// Colour, for a token.
        color: optional string = 8;
        /// Power and toughness.
        pt: optional string = 9;
        /// Note on it.
        annotation: optional string = 10;
        /// Whether it vanishes when moved, as a token does.
        destroy_on_zone_change: optional bool = 11;
        /// Whether it stays tapped in the untap step.
        doesnt_untap: optional bool = 12;
        /// Counters on it.
        counter_list: repeated message CardCounter = 13;
        /// Whose card it is attached to.
        attach_player_id: optional sint32 = 14, default -1;
        /// Zone of the card it is attached to.
        attach_zone: optional string = 15;
        /// Number of the card it is attached to.
        attach_card_id: optional sint32 = 16, default -1;
        /// Which printing of the card.
        provider_id: optional string = 17;
    }

    /// A zone of a player: hand, library, table and so on.
    pub struct Zone = "ServerInfo_Zone" {
        /// Name.
        name: optional string = 1;
        /// Who sees it.
        r#type: optional enum ZoneType = 2, json "type";
        /// Whether its cards have columns and rows.
        with_coords: optional bool = 3;
        /// Cards in it.
        card_count: optional sint32 = 4;
        /// The cards, as far as they are shown.
        card_list: repeated message Card = 5;
        /// Whether its top card is shown to all.
        always_reveal_top_card: optional bool = 10;
        /// Whether its owner sees its top card.
        always_look_at_top_card: optional bool = 11;
    }
}

enumeration! {
    /// What can be set of a card.
    pub enum CardAttribute {
        /// Whether it is tapped.
        Tapped = 1 ("AttrTapped"),
        /// Whether it attacks.
        Attacking = 2 ("AttrAttacking"),
        /// Whether it lies face down.
        FaceDown = 3 ("AttrFaceDown"),
        /// Its colour.
        Color = 4 ("AttrColor"),
        /// Its power and toughness.
        PowerToughness = 5 ("AttrPT"),
        /// The note on it.
        Annotation = 6 ("AttrAnnotation"),
        /// Whether it stays tapped in the untap step.
        DoesntUntap = 7 ("AttrDoesntUntap"),
    }

    /// Who sees the cards of a zone.
    pub enum ZoneType {
        /// Its owner.
        PrivateZone = 0,
        /// Everybody.
        PublicZone = 1,
        /// Nobody.
        HiddenZone = 2,
    }
}
