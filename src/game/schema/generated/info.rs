// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;

message! {
    /// A stored deck.
    pub struct DeckFile = "ServerInfo_DeckStorage_File" {
        /// When it was stored, in seconds since 1970.
        creation_time: optional uint32 = 1;
    }

    /// A folder of stored decks. Folders can be nested to any depth.
    pub struct DeckFolder = "ServerInfo_DeckStorage_Folder" {
        /// The decks and folders in it.
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
        /// Its description by the owner.
        tags: repeated string = 3;
        /// Name of the card on its cover.
        banner_card: optional string = 4;
        /// Its game format.
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
        /// When it was created, in seconds since 1970.
        creation_time: optional uint64 = 3;
        /// When it expires, in seconds since 1970.
        expires_at: optional uint64 = 4;
        /// Number of decks.
        item_count: optional uint32 = 5;
    }

    /// A game type that a room offers.
    pub struct GameType = "ServerInfo_GameType" {
        /// Number of the type within the room.
        game_type_id: optional sint32 = 1;
        /// Name of the type.
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
        /// The description by its creator.
        description: optional string = 4;
        /// Whether players need a password.
        with_password: optional bool = 5;
        /// Maximum number of players.
        max_players: optional uint32 = 6;
        /// Numbers of its game types in the room.
        game_types: repeated sint32 = 7;
        /// Its creator.
        creator_info: optional message User = 8;
        /// Whether only buddies of the creator may join.
        only_buddies: optional bool = 9;
        /// Whether only registered users may join.
        only_registered: optional bool = 10;
        /// Whether spectators are allowed.
        spectators_allowed: optional bool = 11;
        /// Whether spectators need the password.
        spectators_need_password: optional bool = 12;
        /// Whether spectators may chat.
        spectators_can_chat: optional bool = 13;
        /// Whether spectators see hidden cards.
        spectators_omniscient: optional bool = 14;
        /// Whether deck lists are revealed to all when they are loaded.
        share_decklists_on_load: optional bool = 15;
        /// Number of players.
        player_count: optional uint32 = 30;
        /// Number of spectators.
        spectators_count: optional uint32 = 31;
        /// Whether it has started.
        started: optional bool = 50;
        /// When it was created, in seconds since 1970.
        start_time: optional uint32 = 51;
        /// Whether it is closed.
        closed: optional bool = 52;
        /// Its host.
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
        /// Duration in minutes.
        ban_length: required string = 4;
        /// Reason for other moderators.
        ban_reason: optional string = 5;
        /// Reason that the user sees.
        visible_reason: optional string = 6;
    }

    /// A warning that was given.
    pub struct Warning = "ServerInfo_Warning" {
        /// Name of the user.
        user_name: optional string = 1;
        /// Name of the moderator.
        admin_name: optional string = 2;
        /// Reason.
        reason: optional string = 3;
        /// Time.
        time_of: optional string = 4;
    }

    /// A line of the chat log.
    pub struct ChatMessage = "ServerInfo_ChatMessage" {
        /// Time.
        time: optional string = 1;
        /// Number of the sender's account.
        sender_id: optional string = 2;
        /// Name of the sender.
        sender_name: optional string = 3;
        /// Network address of the sender.
        sender_ip: optional string = 4;
        /// The text.
        message: optional string = 5;
        /// Where it was sent: `room`, `game` or `chat`.
        target_type: optional string = 6;
        /// Number of the room, game or user.
        target_id: optional string = 7;
        /// Name of the room, game or user.
        target_name: optional string = 8;
    }

    /// A session of a user.
    pub struct UserSession = "ServerInfo_UserSession" {
        /// Name of the user.
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

    /// An account that may belong to the same person.
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
        /// Number of warnings.
        warn_count: optional uint32 = 6;
        /// Number of bans.
        ban_count: optional uint32 = 7;
        /// Whether it is activated.
        is_active: optional bool = 8;
    }

    /// The last login of a moderator.
    pub struct ModeratorLogin = "ServerInfo_ModeratorLogin" {
        /// Name.
        user_name: optional string = 1;
        /// Last login, in seconds since 1970.
        last_login: optional uint64 = 2;
        /// Bits of the user's roles, as in ServerInfo_User.
        user_level: optional uint32 = 3;
    }

    /// A colour; each component is 0 to 255.
    pub struct Color = "color" {
        /// Red.
        r: optional uint32 = 1;
        /// Green.
        g: optional uint32 = 2;
        /// Blue.
        b: optional uint32 = 3;
        /// Opacity.
        a: optional uint32 = 4;
    }

    /// A counter of a player, such as life.
    pub struct Counter = "ServerInfo_Counter" {
        /// Number of the counter.
        id: optional sint32 = 1;
        /// Name of the counter.
        name: optional string = 2;
        /// Its colour.
        counter_color: optional message Color = 3;
        /// Radius at which it is displayed.
        radius: optional sint32 = 4;
        /// Its value.
        count: optional sint32 = 5;
        /// Whether it is displayed. Newer than the recorded server.
        active: optional bool = 6, default true;
    }

    /// An arrow from a card to a card or a player.
    pub struct Arrow = "ServerInfo_Arrow" {
        /// Number of the arrow.
        id: optional sint32 = 1;
        /// Number of the source player.
        start_player_id: optional sint32 = 2;
        /// Source zone.
        start_zone: optional string = 3;
        /// Number of the source card.
        start_card_id: optional sint32 = 4;
        /// Number of the target player.
        target_player_id: optional sint32 = 5;
        /// Target zone; absent if the target is the player.
        target_zone: optional string = 6;
        /// Number of the target card; absent if the target is the player.
        target_card_id: optional sint32 = 7;
        /// Its colour.
        arrow_color: optional message Color = 8;
    }

    /// The properties of a player. An event contains only those that changed.
    pub struct PlayerProperties = "ServerInfo_PlayerProperties" {
        /// Number of the player within the game.
        player_id: optional sint32 = 1;
        /// The user.
        user_info: optional message User = 2;
        /// Whether they are a spectator.
        spectator: optional bool = 3;
        /// Whether they conceded.
        conceded: optional bool = 4;
        /// Whether they are ready.
        ready_start: optional bool = 5;
        /// Hash of the deck.
        deck_hash: optional string = 6;
        /// Seconds since the server last heard from them; -1 if they are disconnected.
        ping_seconds: optional sint32 = 7;
        /// Whether the sideboard is locked.
        sideboard_locked: optional bool = 8;
        /// Whether they are a judge.
        judge: optional bool = 9;
        /// The playmat.
        playmat_params: optional message Playmat = 10;
    }

    /// A playmat: a part of a card's art.
    pub struct Playmat = "ServerInfo_PlayerProperties.PlaymatParams" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Printing of the card.
        card_provider_id: optional string = 2;
        /// Fraction cropped on the left.
        margin_pct_l: optional double = 3, default 0.07;
        /// Fraction cropped on the right.
        margin_pct_r: optional double = 4, default 0.07;
        /// Vertical position of the visible part.
        vertical_offset: optional double = 5, default 0.33;
        /// Magnification.
        zoom: optional double = 6, default 1.0;
    }

    /// A player, with zones, counters and arrows.
    pub struct Player = "ServerInfo_Player" {
        /// The properties of the player.
        properties: optional message PlayerProperties = 1;
        /// The deck file, sent only to the player.
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
        /// Duration in seconds.
        duration: optional uint32 = 3;
    }

    /// A recorded match: games of the same players.
    pub struct ReplayMatch = "ServerInfo_ReplayMatch" {
        /// The games.
        replay_list: repeated message Replay = 1;
        /// Number of the game.
        game_id: optional sint32 = 2, default -1;
        /// Name of the room.
        room_name: optional string = 3;
        /// When it began, in seconds since 1970.
        time_started: optional uint32 = 4;
        /// Duration in seconds.
        length: optional uint32 = 5;
        /// Its name.
        game_name: optional string = 6;
        /// Names of the players.
        player_names: repeated string = 7;
        /// Whether the user keeps it.
        do_not_hide: optional bool = 8;
    }

    /// A comment on a report.
    pub struct ReportComment = "ServerInfo_ReportComment" {
        /// Name of the author.
        author_name: optional string = 1;
        /// The text.
        comment_text: optional string = 2;
        /// Time, in seconds since 1970.
        comment_time: optional int64 = 3;
        /// Whether a moderator wrote it.
        is_moderator: optional bool = 4;
    }

    /// A report of one player about another.
    pub struct Report = "ServerInfo_Report" {
        /// Number of the report.
        report_id: optional int32 = 1;
        /// Name of the reporter.
        reporter_name: optional string = 2;
        /// Name of the reported user.
        reported_user_name: optional string = 3;
        /// Number of the game.
        game_id: optional int32 = 4;
        /// Number of its recording.
        replay_id: optional int32 = 5;
        /// Number of the room.
        room_id: optional int32 = 6;
        /// Its category.
        category: optional string = 7;
        /// Its state.
        status: optional string = 8;
        /// Description by the reporter.
        description: optional string = 9;
        /// Time, in seconds since 1970.
        report_time: optional int64 = 10;
        /// Name of the moderator who handles it.
        assigned_mod_name: optional string = 11;
        /// When it was resolved, in seconds since 1970.
        resolution_time: optional int64 = 12;
        /// Comments on it.
        comments: repeated message ReportComment = 13;
        /// Chat log at the time.
        chat_log: optional string = 14;
        /// How it was resolved.
        resolution_note: optional string = 15;
    }

    /// The number of reports of a category.
    pub struct ReportCategoryCount = "ReportCategoryCount" {
        /// The category.
        category: optional string = 1;
        /// Number of reports.
        count: optional int32 = 2;
    }

    /// A user who often reports or is reported.
    pub struct ReportTopUser = "ReportTopUser" {
        /// Name.
        user_name: optional string = 1;
        /// Number of reports.
        count: optional int32 = 2;
    }

    /// A room.
    pub struct Room = "ServerInfo_Room" {
        /// Number of the room.
        room_id: optional sint32 = 1;
        /// Name.
        name: optional string = 2;
        /// Its description.
        description: optional string = 3;
        /// Number of games.
        game_count: optional uint32 = 4;
        /// Number of users.
        player_count: optional uint32 = 5;
        /// Whether clients join it automatically.
        auto_join: optional bool = 6;
        /// The games.
        game_list: repeated message Game = 7;
        /// The users.
        user_list: repeated message User = 8;
        /// The game types that it offers.
        gametype_list: repeated message GameType = 9;
        /// The role that a user needs to see it.
        permissionlevel: optional string = 10;
        /// The privilege that a user needs to join it.
        privilegelevel: optional string = 11;
    }

    /// A user. Most fields are sent only to the user and to moderators.
    pub struct User = "ServerInfo_User" {
        /// Name.
        name: optional string = 1;
        /// Bits of the user's roles: 1 user, 2 registered, 4 moderator, 8 administrator, 16 judge.
        user_level: optional uint32 = 2;
        /// Network address.
        address: optional string = 3;
        /// Real name, as given by the user.
        real_name: optional string = 4;
        /// Two-letter country code.
        country: optional string = 6;
        /// Avatar, an image file.
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

    /// The colours of a user's pawn icon.
    pub struct PawnColors = "ServerInfo_User.PawnColorsOverride" {
        /// Colour of the left half.
        left_side: optional string = 1;
        /// Colour of the right half.
        right_side: optional string = 2;
    }

    /// The part of a card's art that is a user's banner.
    pub struct CardArt = "ServerInfo_User.CardArtParams" {
        /// Name of the card.
        card_name: optional string = 1;
        /// Printing of the card.
        card_provider_id: optional string = 2;
        /// Fraction of the width that is cropped on the left.
        margin_pct_l: optional double = 3, default 0.33;
        /// Fraction of the width that is cropped on the right.
        margin_pct_r: optional double = 4, default 0.02;
        /// Where the visible part begins, as a fraction of the height.
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

    /// A card in a zone. Of a hidden card only the number is sent.
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
        /// Whether it is attacking.
        attacking: optional bool = 7;
        /// Colour, for a token.
        color: optional string = 8;
        /// Power and toughness.
        pt: optional string = 9;
        /// Note on it.
        annotation: optional string = 10;
        /// Whether it ceases to exist when it leaves the table, as a token does.
        destroy_on_zone_change: optional bool = 11;
        /// Whether it stays tapped in the untap step.
        doesnt_untap: optional bool = 12;
        /// Counters on it.
        counter_list: repeated message CardCounter = 13;
        /// Number of the player whose card it is attached to.
        attach_player_id: optional sint32 = 14, default -1;
        /// Zone of the card it is attached to.
        attach_zone: optional string = 15;
        /// Number of the card it is attached to.
        attach_card_id: optional sint32 = 16, default -1;
        /// Printing of the card.
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
        /// Number of cards in it.
        card_count: optional sint32 = 4;
        /// The cards, as far as they are visible to the receiver.
        card_list: repeated message Card = 5;
        /// Whether its top card is revealed to all.
        always_reveal_top_card: optional bool = 10;
        /// Whether its owner sees its top card.
        always_look_at_top_card: optional bool = 11;
    }
}

enumeration! {
    /// An attribute of a card.
    pub enum CardAttribute {
        /// Whether it is tapped.
        Tapped = 1 ("AttrTapped"),
        /// Whether it is attacking.
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
