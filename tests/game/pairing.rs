//! Each answer goes to the task that awaits it: an answer carries the `cmd_id` of its command
//! (docs/ARCHITECTURE.md, "The reader").

use portreeve::game::pairing::{Answer, Calls, ConnectionLost, Pairing, Undelivered};
use portreeve::game::{Message, Response, ResponseCode};

#[test]
fn answers_in_any_order() {
    let mut pairing = Pairing::new();
    let ids: Vec<u64> = (0..100).map(|waiter| pairing.wait(waiter)).collect();
    assert_eq!(ids, (0..100).collect::<Vec<_>>());
    for &id in ids.iter().rev() {
        assert_eq!(pairing.answer(id), Answer::For(id));
    }
    assert!(pairing.is_empty());
}

#[test]
fn unmatched_duplicate_and_forgotten() {
    let mut pairing = Pairing::new();
    // What a server answers to a command without a `cmd_id`.
    assert_eq!(pairing.answer(u64::MAX), Answer::<()>::Unmatched);
    let id = pairing.wait(());
    assert_eq!(pairing.answer(id), Answer::For(()));
    assert_eq!(pairing.answer(id), Answer::Duplicate);
    let id = pairing.wait(());
    assert_eq!(pairing.forget(id), Some(()));
    assert_eq!(pairing.answer(id), Answer::Unmatched);
}

/// Memory does not grow with the answers; the oldest are forgotten first.
#[test]
fn memory_is_bounded() {
    let mut pairing = Pairing::new();
    for _ in 0..5_000 {
        let id = pairing.wait(());
        assert_eq!(pairing.answer(id), Answer::For(()));
    }
    assert_eq!(pairing.answer(4_999), Answer::Duplicate);
    assert_eq!(pairing.answer(0), Answer::Unmatched);
}

#[tokio::test]
async fn tasks_get_their_answers() {
    let mut calls = Calls::new();
    let tasks: Vec<_> = (0..10)
        .map(|_| {
            let (id, call) = calls.call();
            tokio::spawn(async move {
                let answer: Vec<u8> = call.await?;
                let response = Response::parse(&answer).unwrap();
                assert_eq!(response.cmd_id(), id);
                Ok::<_, ConnectionLost>(response.code())
            })
        })
        .collect();
    for id in (1..10).rev() {
        let answer = Response::new(id, ResponseCode::RespOk).to_vec();
        let cmd_id = Response::parse(&answer).unwrap().cmd_id();
        calls.deliver(cmd_id, answer).unwrap();
    }
    let (id, call) = calls.call();
    drop(call);
    assert_eq!(
        calls.deliver(id, Vec::new()),
        Err(Undelivered::Abandoned(Vec::new()))
    );
    assert_eq!(
        calls.deliver(77, Vec::new()),
        Err(Undelivered::Unmatched(Vec::new()))
    );
    assert_eq!(calls.len(), 1);
    calls.lost();
    for (id, task) in tasks.into_iter().enumerate() {
        let expected = if id == 0 {
            Err(ConnectionLost)
        } else {
            Ok(Some(ResponseCode::RespOk))
        };
        assert_eq!(task.await.unwrap(), expected);
    }
}
