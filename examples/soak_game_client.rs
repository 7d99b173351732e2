//! Many clients in one process, connections that are lost at random, and each answer for the call
//! that asked. Prints how it went.
//!
//!     cargo run --release --example soak_game_client -- 500 100000

use std::time::Instant;

use futures_util::{SinkExt, StreamExt};
use portreeve::game::client::{CallError, Client};
use portreeve::game::connection::Address;
use portreeve::game::frame::{FrameCodec, greeting_of};
use portreeve::game::payload::GetUserInfo;
use portreeve::game::{Command, Message, Response, ResponseCode, command, info};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::codec::Framed;
use tower::BoxError;

/// Calls of a client that are in flight at once.
const AT_ONCE: u32 = 8;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    let mut arguments = std::env::args().skip(1);
    let clients: u32 = arguments.next().unwrap_or("500".into()).parse()?;
    let commands: u32 = arguments.next().unwrap_or("100000".into()).parse()?;
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address: Address = format!("tcp://{}", listener.local_addr()?).parse()?;
    tokio::spawn(serve(listener));
    let start = Instant::now();
    let tasks: Vec<_> = (0..clients)
        .map(|number| tokio::spawn(client(address.clone(), number, commands / clients)))
        .collect();
    tokio::spawn(async {
        loop {
            tokio::time::sleep(std::time::Duration::from_millis(500)).await;
            eprintln!("{}", resident());
        }
    });
    let (mut answered, mut lost) = (0, 0);
    for task in tasks {
        let (answers, losses) = task.await??;
        answered += answers;
        lost += losses;
    }
    println!(
        "{clients} clients, {answered} answers, {lost} lost connections, none astray, {:?}, {}",
        start.elapsed(),
        resident()
    );
    Ok(())
}

/// Sends its commands, each again until it is answered; how many answers, and lost connections.
async fn client(address: Address, number: u32, commands: u32) -> Result<(u32, u32), BoxError> {
    let (mut answered, mut losses) = (0, 0);
    while answered < commands {
        let (client, events) = Client::connect(&address).await?;
        drop(events);
        while answered < commands {
            let calls = (answered..commands.min(answered + AT_ONCE)).map(|command| {
                let client = client.clone();
                async move {
                    let name = format!("{number} {command}");
                    let ask = command::GetUserInfo {
                        user_name: Some(name.as_str().into()),
                        ..command::GetUserInfo::default()
                    };
                    let answer = client.send(Command::session(ask)).await?;
                    let user = answer
                        .get::<GetUserInfo<'_>>()
                        .and_then(|user| user.user_info().ok()?);
                    let found = user.and_then(|user| user.name().ok().map(str::to_owned));
                    assert_eq!(found, Some(name), "an answer went astray");
                    Ok::<(), CallError>(())
                }
            });
            let answers = futures_util::future::join_all(calls).await;
            let good = answers.iter().take_while(|answer| answer.is_ok()).count();
            assert!(
                answers[good..].iter().all(Result::is_err),
                "an answer was lost"
            );
            answered += good as u32;
            if good < answers.len() {
                losses += 1;
                break;
            }
        }
    }
    Ok((answered, losses))
}

/// Tells of each user that is asked for; hangs up after some commands, another number each time.
async fn serve(listener: TcpListener) -> Result<(), std::io::Error> {
    let mut lives = 20_u64;
    loop {
        let (io, _) = listener.accept().await?;
        lives = lives.wrapping_mul(6_364_136_223_846_793_005) % 1_000_003;
        let lives = 5 + lives % 300;
        tokio::spawn(async move {
            // A client that has gone is no matter.
            let _ = session(io, lives).await;
        });
    }
}

async fn session(mut io: TcpStream, lives: u64) -> Result<(), BoxError> {
    io.set_nodelay(true)?;
    io.write_all(&greeting_of(14)).await?;
    let mut frames = Framed::new(io, FrameCodec::new());
    frames.next().await.transpose()?;
    frames
        .send(&b"\x08\x01\x1a\x05\xa2\x1f\x02\x18\x0e"[..])
        .await?;
    for _ in 0..lives {
        let Some(message) = frames.next().await.transpose()? else {
            break;
        };
        let container = portreeve::game::CommandContainer::parse(&message)?;
        let mut answer = Response::new(container.cmd_id(), ResponseCode::RespOk).to_vec();
        for asked in container.session_command() {
            if let Some(asked) = asked?.get::<command::GetUserInfo<'_>>()? {
                let user = info::User {
                    name: asked.user_name,
                    ..info::User::default()
                };
                append(
                    &mut answer,
                    1003,
                    &[&[0x0a], &*sized(&user.to_vec())].concat(),
                );
            }
        }
        frames
            .send([&[0x08, 0x00, 0x12], &*sized(&answer)].concat())
            .await?;
    }
    Ok(())
}

/// An extension with a length under 128.
fn append(message: &mut Vec<u8>, number: u16, payload: &[u8]) {
    let tag = number << 3 | 2;
    message.extend([tag as u8 | 0x80, (tag >> 7) as u8]);
    message.extend(sized(payload));
}

fn sized(bytes: &[u8]) -> Vec<u8> {
    [&[bytes.len() as u8], bytes].concat()
}

/// The memory of this process, where the system tells.
fn resident() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmRSS"));
    line.map_or("memory unknown".into(), |line| {
        line.split_whitespace()
            .skip(1)
            .collect::<Vec<_>>()
            .join(" ")
    })
}
