// Printed from proto/: PORTREEVE_PRINT_SCHEMA=1 cargo test --test game schema

use crate::game::runtime::macros::message;
use crate::game::runtime::scalar::enumeration;

message! {
    DeckFile = "ServerInfo_DeckStorage_File", "A stored deck." { creation_time: optional uint32 = 1, "When it was stored, in seconds since 1970."; }

    DeckFolder = "ServerInfo_DeckStorage_Folder", "A folder of stored decks. Folders can be nested to any depth." { items: repeated message DeckItem = 1, "The decks and folders in it."; }

    DeckItem = "ServerInfo_DeckStorage_TreeItem", "A deck or a folder, with its name." {
        id: optional uint32 = 1, "Number of the item.";
        name: optional string = 2, "Name.";
        file: optional message DeckFile = 10, "The deck, if it is one.";
        folder: optional message DeckFolder = 11, "The folder, if it is one.";
    }

    SharedDeck = "ServerInfo_DeckShareItem", "A deck that a link shares. Newer than the recorded server." {
        id: optional uint32 = 1, "Number of the deck.";
        name: optional string = 2, "Name.";
        tags: repeated string = 3, "Its description by the owner.";
        banner_card: optional string = 4, "Name of the card on its cover.";
        game_format: optional string = 5, "Its game format.";
        color_identity: optional string = 6, "Its colours.";
    }

    DeckShareSummary = "ServerInfo_DeckShareSummary", "A link that shares decks. Newer than the recorded server." {
        id: optional uint32 = 1, "Number of the link.";
        name: optional string = 2, "Name.";
        creation_time: optional uint64 = 3, "When it was created, in seconds since 1970.";
        expires_at: optional uint64 = 4, "When it expires, in seconds since 1970.";
        item_count: optional uint32 = 5, "Number of decks.";
    }

    GameType = "ServerInfo_GameType", "A game type that a room offers." { game_type_id: optional sint32 = 1, "Number of the type within the room."; description: optional string = 2, "Name of the type."; }

    Game = "ServerInfo_Game", "A game in a room." {
        server_id: optional sint32 = 1, default -1, "Number of the server.";
        room_id: optional sint32 = 2, default -1, "Number of the room.";
        game_id: optional sint32 = 3, default -1, "Number of the game.";
        description: optional string = 4, "The description by its creator.";
        with_password: optional bool = 5, "Whether players need a password.";
        max_players: optional uint32 = 6, "Maximum number of players.";
        game_types: repeated sint32 = 7, "Numbers of its game types in the room.";
        creator_info: optional message User = 8, "Its creator.";
        only_buddies: optional bool = 9, "Whether only buddies of the creator may join.";
        only_registered: optional bool = 10, "Whether only registered users may join.";
        spectators_allowed: optional bool = 11, "Whether spectators are allowed.";
        spectators_need_password: optional bool = 12, "Whether spectators need the password.";
        spectators_can_chat: optional bool = 13, "Whether spectators may chat.";
        spectators_omniscient: optional bool = 14, "Whether spectators see hidden cards.";
        share_decklists_on_load: optional bool = 15, "Whether deck lists are revealed to all when they are loaded.";
        player_count: optional uint32 = 30, "Number of players.";
        spectators_count: optional uint32 = 31, "Number of spectators.";
        started: optional bool = 50, "Whether it has started.";
        start_time: optional uint32 = 51, "When it was created, in seconds since 1970.";
        closed: optional bool = 52, "Whether it is closed.";
        host_info: optional message User = 53, "Its host.";
    }

    Ban = "ServerInfo_Ban", "A ban." {
        admin_id: required string = 1, "Number of the moderator's account.";
        admin_name: required string = 2, "Name of the moderator.";
        ban_time: required string = 3, "When it began.";
        ban_length: required string = 4, "Duration in minutes.";
        ban_reason: optional string = 5, "Reason for other moderators.";
        visible_reason: optional string = 6, "Reason that the user sees.";
    }

    Warning = "ServerInfo_Warning", "A warning that was given." {
        user_name: optional string = 1, "Name of the user.";
        admin_name: optional string = 2, "Name of the moderator.";
        reason: optional string = 3, "Reason.";
        time_of: optional string = 4, "Time.";
    }

    ChatMessage = "ServerInfo_ChatMessage", "A line of the chat log." {
        time: optional string = 1, "Time.";
        sender_id: optional string = 2, "Number of the sender's account.";
        sender_name: optional string = 3, "Name of the sender.";
        sender_ip: optional string = 4, "Network address of the sender.";
        message: optional string = 5, "The text.";
        target_type: optional string = 6, "Where it was sent: `room`, `game` or `chat`.";
        target_id: optional string = 7, "Number of the room, game or user.";
        target_name: optional string = 8, "Name of the room, game or user.";
    }

    UserSession = "ServerInfo_UserSession", "A session of a user." {
        user_name: optional string = 1, "Name of the user.";
        ip_address: optional string = 2, "Network address.";
        clientid: optional string = 3, "Fingerprint of the client.";
        start_time: optional uint64 = 4, "When it began, in seconds since 1970.";
        end_time: optional uint64 = 5, "When it ended, in seconds since 1970.";
        connection_type: optional string = 6, "How the client was connected.";
    }

    UserAlt = "ServerInfo_UserAlt", "An account that may belong to the same person." {
        user_name: optional string = 1, "Name.";
        email: optional string = 2, "E-mail address.";
        clientid: optional string = 3, "Fingerprint of the client.";
        registration_time: optional uint64 = 4, "When it was registered, in seconds since 1970.";
        last_login: optional uint64 = 5, "Last login, in seconds since 1970.";
        warn_count: optional uint32 = 6, "Number of warnings.";
        ban_count: optional uint32 = 7, "Number of bans.";
        is_active: optional bool = 8, "Whether it is activated.";
    }

    ModeratorLogin = "ServerInfo_ModeratorLogin", "The last login of a moderator." {
        user_name: optional string = 1, "Name.";
        last_login: optional uint64 = 2, "Last login, in seconds since 1970.";
        user_level: optional uint32 = 3, "Bits of the user's roles, as in ServerInfo_User.";
    }

    Color = "color", "A colour; each component is 0 to 255." { r: optional uint32 = 1, "Red."; g: optional uint32 = 2, "Green."; b: optional uint32 = 3, "Blue."; a: optional uint32 = 4, "Opacity."; }

    Counter = "ServerInfo_Counter", "A counter of a player, such as life." {
        id: optional sint32 = 1, "Number of the counter.";
        name: optional string = 2, "Name of the counter.";
        counter_color: optional message Color = 3, "Its colour.";
        radius: optional sint32 = 4, "Radius at which it is displayed.";
        count: optional sint32 = 5, "Its value.";
        active: optional bool = 6, default true, "Whether it is displayed. Newer than the recorded server.";
    }

    Arrow = "ServerInfo_Arrow", "An arrow from a card to a card or a player." {
        id: optional sint32 = 1, "Number of the arrow.";
        start_player_id: optional sint32 = 2, "Number of the source player.";
        start_zone: optional string = 3, "Source zone.";
        start_card_id: optional sint32 = 4, "Number of the source card.";
        target_player_id: optional sint32 = 5, "Number of the target player.";
        target_zone: optional string = 6, "Target zone; absent if the target is the player.";
        target_card_id: optional sint32 = 7, "Number of the target card; absent if the target is the player.";
        arrow_color: optional message Color = 8, "Its colour.";
    }

    PlayerProperties = "ServerInfo_PlayerProperties", "The properties of a player. An event contains only those that changed." {
        player_id: optional sint32 = 1, "Number of the player within the game.";
        user_info: optional message User = 2, "The user.";
        spectator: optional bool = 3, "Whether they are a spectator.";
        conceded: optional bool = 4, "Whether they conceded.";
        ready_start: optional bool = 5, "Whether they are ready.";
        deck_hash: optional string = 6, "Hash of the deck.";
        ping_seconds: optional sint32 = 7, "Seconds since the server last heard from them; -1 if they are disconnected.";
        sideboard_locked: optional bool = 8, "Whether the sideboard is locked.";
        judge: optional bool = 9, "Whether they are a judge.";
        playmat_params: optional message Playmat = 10, "The playmat.";
    }

    Playmat = "ServerInfo_PlayerProperties.PlaymatParams", "A playmat: a part of a card's art." {
        card_name: optional string = 1, "Name of the card.";
        card_provider_id: optional string = 2, "Printing of the card.";
        margin_pct_l: optional double = 3, default 0.07, "Fraction cropped on the left.";
        margin_pct_r: optional double = 4, default 0.07, "Fraction cropped on the right.";
        vertical_offset: optional double = 5, default 0.33, "Vertical position of the visible part.";
        zoom: optional double = 6, default 1.0, "Magnification.";
    }

    Player = "ServerInfo_Player", "A player, with zones, counters and arrows." {
        properties: optional message PlayerProperties = 1, "The properties of the player.";
        deck_list: optional string = 2, "The deck file, sent only to the player.";
        zone_list: repeated message Zone = 3, "The player's zones.";
        counter_list: repeated message Counter = 4, "The player's counters.";
        arrow_list: repeated message Arrow = 5, "The player's arrows.";
    }

    Replay = "ServerInfo_Replay", "A recorded game." { replay_id: optional sint32 = 1, default -1, "Number of the recording."; replay_name: optional string = 2, "Name."; duration: optional uint32 = 3, "Duration in seconds."; }

    ReplayMatch = "ServerInfo_ReplayMatch", "A recorded match: games of the same players." {
        replay_list: repeated message Replay = 1, "The games.";
        game_id: optional sint32 = 2, default -1, "Number of the game.";
        room_name: optional string = 3, "Name of the room.";
        time_started: optional uint32 = 4, "When it began, in seconds since 1970.";
        length: optional uint32 = 5, "Duration in seconds.";
        game_name: optional string = 6, "Its name.";
        player_names: repeated string = 7, "Names of the players.";
        do_not_hide: optional bool = 8, "Whether the user keeps it.";
    }

    ReportComment = "ServerInfo_ReportComment", "A comment on a report." {
        author_name: optional string = 1, "Name of the author.";
        comment_text: optional string = 2, "The text.";
        comment_time: optional int64 = 3, "Time, in seconds since 1970.";
        is_moderator: optional bool = 4, "Whether a moderator wrote it.";
    }

    Report = "ServerInfo_Report", "A report of one player about another." {
        report_id: optional int32 = 1, "Number of the report.";
        reporter_name: optional string = 2, "Name of the reporter.";
        reported_user_name: optional string = 3, "Name of the reported user.";
        game_id: optional int32 = 4, "Number of the game.";
        replay_id: optional int32 = 5, "Number of its recording.";
        room_id: optional int32 = 6, "Number of the room.";
        category: optional string = 7, "Its category.";
        status: optional string = 8, "Its state.";
        description: optional string = 9, "Description by the reporter.";
        report_time: optional int64 = 10, "Time, in seconds since 1970.";
        assigned_mod_name: optional string = 11, "Name of the moderator who handles it.";
        resolution_time: optional int64 = 12, "When it was resolved, in seconds since 1970.";
        comments: repeated message ReportComment = 13, "Comments on it.";
        chat_log: optional string = 14, "Chat log at the time.";
        resolution_note: optional string = 15, "How it was resolved.";
    }

    ReportCategoryCount = "ReportCategoryCount", "The number of reports of a category." { category: optional string = 1, "The category."; count: optional int32 = 2, "Number of reports."; }

    ReportTopUser = "ReportTopUser", "A user who often reports or is reported." { user_name: optional string = 1, "Name."; count: optional int32 = 2, "Number of reports."; }

    Room = "ServerInfo_Room", "A room." {
        room_id: optional sint32 = 1, "Number of the room.";
        name: optional string = 2, "Name.";
        description: optional string = 3, "Its description.";
        game_count: optional uint32 = 4, "Number of games.";
        player_count: optional uint32 = 5, "Number of users.";
        auto_join: optional bool = 6, "Whether clients join it automatically.";
        game_list: repeated message Game = 7, "The games.";
        user_list: repeated message User = 8, "The users.";
        gametype_list: repeated message GameType = 9, "The game types that it offers.";
        permissionlevel: optional string = 10, "The role that a user needs to see it.";
        privilegelevel: optional string = 11, "The privilege that a user needs to join it.";
    }

    User = "ServerInfo_User", "A user. Most fields are sent only to the user and to moderators." {
        name: optional string = 1, "Name.";
        user_level: optional uint32 = 2, "Bits of the user's roles: 1 user, 2 registered, 4 moderator, 8 administrator, 16 judge.";
        address: optional string = 3, "Network address.";
        real_name: optional string = 4, "Real name, as given by the user.";
        country: optional string = 6, "Two-letter country code.";
        avatar_bmp: optional bytes = 7, "Avatar, an image file.";
        id: optional sint32 = 8, default -1, "Number of the account.";
        server_id: optional sint32 = 9, default -1, "Number of the server, if several share a database.";
        session_id: optional uint64 = 10, "Number of the session.";
        accountage_secs: optional uint64 = 11, "Age of the account in seconds.";
        email: optional string = 12, "E-mail address.";
        clientid: optional string = 13, "Fingerprint of the client.";
        privlevel: optional string = 14, "Name of the privilege level.";
        pawn_colors: optional message PawnColors = 15, "Colours of the pawn icon.";
        card_art_params: optional message CardArt = 16, "The banner.";
    }

    PawnColors = "ServerInfo_User.PawnColorsOverride", "The colours of a user's pawn icon." { left_side: optional string = 1, "Colour of the left half."; right_side: optional string = 2, "Colour of the right half."; }

    CardArt = "ServerInfo_User.CardArtParams", "The part of a card's art that is a user's banner." {
        card_name: optional string = 1, "Name of the card.";
        card_provider_id: optional string = 2, "Printing of the card.";
        margin_pct_l: optional double = 3, default 0.33, "Fraction of the width that is cropped on the left.";
        margin_pct_r: optional double = 4, default 0.02, "Fraction of the width that is cropped on the right.";
        vertical_offset: optional double = 5, default 0.35, "Where the visible part begins, as a fraction of the height.";
        zoom: optional double = 6, default 1.0, "Magnification.";
    }

    CardCounter = "ServerInfo_CardCounter", "A counter on a card." { id: optional sint32 = 1, "Number of the counter."; value: optional sint32 = 2, "Its value."; }

    Card = "ServerInfo_Card", "A card in a zone. Of a hidden card only the number is sent." {
        id: optional sint32 = 1, default -1, "Number of the card within its zone.";
        name: optional string = 2, "Name.";
        x: optional sint32 = 3, default -1, "Column on the table.";
        y: optional sint32 = 4, default -1, "Row on the table.";
        face_down: optional bool = 5, "Whether it lies face down.";
        tapped: optional bool = 6, "Whether it is tapped.";
        attacking: optional bool = 7, "Whether it is attacking.";
        color: optional string = 8, "Colour, for a token.";
        pt: optional string = 9, "Power and toughness.";
        annotation: optional string = 10, "Note on it.";
        destroy_on_zone_change: optional bool = 11, "Whether it ceases to exist when it leaves the table, as a token does.";
        doesnt_untap: optional bool = 12, "Whether it stays tapped in the untap step.";
        counter_list: repeated message CardCounter = 13, "Counters on it.";
        attach_player_id: optional sint32 = 14, default -1, "Number of the player whose card it is attached to.";
        attach_zone: optional string = 15, "Zone of the card it is attached to.";
        attach_card_id: optional sint32 = 16, default -1, "Number of the card it is attached to.";
        provider_id: optional string = 17, "Printing of the card.";
    }

    Zone = "ServerInfo_Zone", "A zone of a player: hand, library, table and so on." {
        name: optional string = 1, "Name.";
        r#type: optional enum ZoneType = 2, json "type", "Who sees it.";
        with_coords: optional bool = 3, "Whether its cards have columns and rows.";
        card_count: optional sint32 = 4, "Number of cards in it.";
        card_list: repeated message Card = 5, "The cards, as far as they are visible to the receiver.";
        always_reveal_top_card: optional bool = 10, "Whether its top card is revealed to all.";
        always_look_at_top_card: optional bool = 11, "Whether its owner sees its top card.";
    }
}

enumeration! {
    CardAttribute, "An attribute of a card." {
        Tapped = 1 ("AttrTapped"), "Whether it is tapped.";
        Attacking = 2 ("AttrAttacking"), "Whether it is attacking.";
        FaceDown = 3 ("AttrFaceDown"), "Whether it lies face down.";
        Color = 4 ("AttrColor"), "Its colour.";
        PowerToughness = 5 ("AttrPT"), "Its power and toughness.";
        Annotation = 6 ("AttrAnnotation"), "The note on it.";
        DoesntUntap = 7 ("AttrDoesntUntap"), "Whether it stays tapped in the untap step.";
    }

    ZoneType, "Who sees the cards of a zone." { PrivateZone = 0, "Its owner."; PublicZone = 1, "Everybody."; HiddenZone = 2, "Nobody."; }
}
