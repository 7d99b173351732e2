//! Passwords.

use std::fs;

use portreeve::game::testing::Server;

use super::{Connect, PING};
use crate::support::binary::assert_contains;
use crate::terminal::Terminal;

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_read_from_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("password");
    let path = file.to_str().unwrap();
    let arguments = ["--user", "ann", "--password-file", path];
    let server = Server::builder().account("ann", "sesame opens");
    let server = server.start().await.unwrap();
    for (content, code) in [("sesame opens", 0), ("\u{feff}sesame opens\r\n", 0), ("wrong\n", 1)] {
        fs::write(&file, content).unwrap();
        let mut connect = Connect::start(server.websocket.clone(), &arguments);
        if code == 0 {
            connect.write(&format!("{PING}\n"));
        }
        connect.close_input();
        let (ended, lines, said) = connect.end();
        assert_eq!(ended, Some(code), "{said}");
        let all = format!("{lines:?}{said}");
        assert!(!all.contains("sesame") && !all.contains("wrong\n"), "{all}");
        if code == 1 {
            assert_contains(&said, &["the game server refused the login: RespWrongPassword"]);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_is_not_shown_when_it_is_typed() {
    let server = Server::builder().account("ann", "sesame opens");
    let server = server.start().await.unwrap();
    let url = server.tcp.to_string();
    let mut terminal =
        Terminal::start(&["game", "connect", &url, "--user", "ann", "--ask-password"]);
    terminal.until("password of ann");
    terminal.type_in("sesame opens\r");
    terminal.until(r#""cmd_id":"1073741825""#);
    // After that, the terminal is the input.
    terminal.type_in(&PING.replacen('{', "{\"cmd_id\":33,", 1));
    terminal.type_in("\n");
    terminal.until(r#""response":{"cmd_id":"33""#);
    terminal.type_in("\u{4}");
    let (code, shown) = terminal.end();
    assert_eq!(code, Some(0), "{shown}");
    assert!(!shown.contains("sesame"), "{shown}");
}
