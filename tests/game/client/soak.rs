//! Many clients, connections that are lost at various points, and each answer reaches its call

use portreeve::game::Command;
use portreeve::game::client::{CallError, Client};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;

use super::script::frame;
use crate::bytes::varint;

use super::server::{PING, accept, cmd_id, command, framed};

const CLIENTS: u32 = 40;
const COMMANDS: u32 = 100;

/// An answer with a `PasswordSalt` that names the command and the client that it is for.
fn answer(command: &[u8]) -> Vec<u8> {
    let mark = &command[command.len() - 8..];
    let head = [&[0x08][..], &varint(cmd_id(command)), &[0x10, 0x01]].concat();
    let payload = [&[0xca, 0x3f, 10, 0x0a, 8], mark].concat();
    let response = [head, payload].concat();
    [&[0x08, 0x00, 0x12, response.len() as u8], &*response].concat()
}

/// A ping with a mark of eight letters in an unknown field, which a server ignores.
fn marked(mark: &str) -> Command {
    command(&[PING, &[0x2a, 8], mark.as_bytes()].concat()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_answer_reaches_its_call_although_connections_are_lost() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let mut connections = 0_u64;
        loop {
            let (io, _) = listener.accept().await.unwrap();
            connections += 1;
            // Each is lost after a different number of commands.
            let lives = 5 + connections * 7919 % 60;
            tokio::spawn(async move {
                let mut io = accept(io).await;
                for _ in 0..lives {
                    let Some(command) = frame(&mut io).await else {
                        return;
                    };
                    let _ = io.write_all(&framed(&answer(&command))).await;
                }
            });
        }
    });
    let clients = (0..CLIENTS).map(|number| {
        let address = address.parse().unwrap();
        tokio::spawn(async move {
            let mut losses = 0;
            let mut next = 0;
            while next < COMMANDS {
                let (client, events) = Client::connect(&address).await.unwrap();
                drop(events);
                // A few at a time, so that a loss meets calls in all states.
                while next < COMMANDS {
                    let calls = (next..COMMANDS.min(next + 7)).map(|command| {
                        let client = client.clone();
                        async move {
                            let mark = format!("{number:03}-{command:04}");
                            let answer = client.send(marked(&mark)).await?;
                            let salt = answer
                                .response
                                .get::<portreeve::game::payload::PasswordSalt<'_>>()
                                .unwrap();
                            assert_eq!(salt.password_salt().unwrap(), mark);
                            Ok::<(), CallError>(())
                        }
                    });
                    let answers = futures_util::future::join_all(calls).await;
                    // Answers come in order, so that the missing ones are the last ones.
                    let answered = answers.iter().take_while(|answer| answer.is_ok()).count();
                    assert!(answers[answered..].iter().all(Result::is_err));
                    next += answered as u32;
                    if answered < answers.len() {
                        losses += 1;
                        break;
                    }
                }
            }
            losses
        })
    });
    let mut losses = 0;
    for client in futures_util::future::join_all(clients).await {
        losses += client.unwrap();
    }
    assert!(losses >= CLIENTS, "{losses}");
    server.abort();
}
