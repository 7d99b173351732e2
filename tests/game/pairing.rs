//! Each answer goes to the task that awaits it: an answer carries the `cmd_id` of its command
//! (docs/ARCHITECTURE.md, "The reader").

use std::sync::{Arc, mpsc};
use std::thread;

use portreeve::game::frame::{Frames, Framing};
use portreeve::game::pairing::{Calls, ConnectionLost, Match, Pairing, Undelivered};
use portreeve::game::{DecodeError, Fault, Message, Response, ResponseCode};

#[test]
fn answers_may_come_in_any_order() {
    let mut pairing = Pairing::new();
    let ids: Vec<u64> = (0..100).map(|waiter| pairing.wait(waiter)).collect();
    assert_eq!(ids, (0..100).collect::<Vec<_>>());
    for &id in ids.iter().rev() {
        assert_eq!(pairing.answer(id), Match::For(id));
    }
    assert!(pairing.is_empty());
}

#[test]
fn unmatched_duplicate_and_forgotten_answers_are_told_apart() {
    let mut pairing = Pairing::new();
    // The id in a server's answer to a command without a `cmd_id`.
    assert_eq!(pairing.answer(u64::MAX), Match::<()>::Unmatched);
    let id = pairing.wait(());
    assert_eq!(pairing.answer(id), Match::For(()));
    assert_eq!(pairing.answer(id), Match::Duplicate);
    let id = pairing.wait(());
    assert_eq!(pairing.forget(id), Some(()));
    assert_eq!(pairing.answer(id), Match::Forgotten);
    assert_eq!(pairing.answer(id), Match::Duplicate);
    assert_eq!(pairing.forget(id), None);
}

/// Memory does not grow with the answers; the oldest are forgotten first.
#[test]
fn memory_is_bounded() {
    let mut pairing = Pairing::new();
    for _ in 0..5_000 {
        let id = pairing.wait(());
        assert_eq!(pairing.answer(id), Match::For(()));
    }
    assert_eq!(pairing.answer(4_999), Match::Duplicate);
    assert_eq!(pairing.answer(0), Match::Unmatched);
}

/// An id that is assigned again is in flight, whatever happened to its earlier call.
#[test]
fn an_id_can_be_used_again() {
    let mut pairing = Pairing::new();
    assert_eq!(pairing.wait('a'), 0);
    assert_eq!(pairing.answer(0), Match::For('a'));
    let _ = pairing.lost();
    for first in ['b', 'c'] {
        assert_eq!(pairing.wait(first), 0);
        assert_eq!(pairing.answer(0), Match::For(first));
        let _ = pairing.lost();
    }
}

/// A million dropped calls leave no memory behind, whether they are dropped one by one or all at
/// once.
#[test]
fn dropped_calls_are_forgotten() {
    let calls = Calls::<Vec<u8>>::new();
    let before = allocated(|| {
        for _ in 0..1_000_000 {
            let (_, call) = calls.call();
            drop(call);
        }
    });
    assert_eq!(calls.len(), 0);
    assert!(
        before < 256 << 10,
        "{before} bytes are left of single calls"
    );
    let kept = allocated(|| {
        let crowd: Vec<_> = (0..1_000_000).map(|_| calls.call().1).collect();
        assert_eq!(calls.len(), 1_000_000);
        drop(crowd);
    });
    assert!(calls.is_empty());
    assert!(kept < 256 << 10, "{kept} bytes are left of a crowd");
    // A late answer to one of them is reported as such.
    assert_eq!(
        calls.deliver(1_999_999, Vec::new()),
        Err(Undelivered::Abandoned(Vec::new()))
    );
}

/// How many bytes are allocated after `work` and were not before.
fn allocated(work: impl FnOnce()) -> i64 {
    allocation_counter::measure(work).bytes_current
}

/// A call dropped while its answer comes in from another thread is forgotten or answered, never
/// given to another.
#[test]
fn an_answer_that_races_with_a_drop_goes_to_no_other_call() {
    let calls = Arc::new(Calls::<u64>::new());
    let (ids, arriving) = mpsc::channel();
    let delivering = calls.clone();
    let deliverer = thread::spawn(move || {
        let mut abandoned = 0_u32;
        for id in arriving {
            match delivering.deliver(id, id) {
                Ok(()) => {}
                Err(Undelivered::Abandoned(answer)) => {
                    assert_eq!(answer, id);
                    abandoned += 1;
                }
                Err(other) => panic!("{other:?}"),
            }
        }
        abandoned
    });
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    for turn in 0..100_000 {
        let (id, call) = calls.call();
        ids.send(id).unwrap();
        if turn % 3 == 0 {
            drop(call);
        } else {
            assert_eq!(runtime.block_on(call), Ok(id));
        }
        assert!(calls.is_empty() || turn % 3 == 0);
    }
    drop(ids);
    assert!(deliverer.join().unwrap() <= 33_334);
    assert!(calls.is_empty());
}

/// Calls made after the connection was lost fail at once instead of waiting.
#[tokio::test]
async fn calls_after_the_connection_is_lost_fail_at_once() {
    let calls = Calls::<()>::new();
    let (_, before) = calls.call();
    calls.lost();
    assert_eq!(before.await, Err(ConnectionLost));
    for _ in 0..3 {
        let (_, after) = calls.call();
        assert_eq!(after.await, Err(ConnectionLost));
    }
    assert!(calls.is_empty());
    let (_, call) = calls.call();
    drop(calls);
    assert_eq!(call.await, Err(ConnectionLost));
}

/// One error type is enough for splitting a stream into frames and reading its messages.
#[test]
fn frames_and_messages_share_one_error_type() {
    fn answers(stream: &[u8], limit: usize) -> Result<usize, DecodeError> {
        let mut answers = 0;
        for frame in Frames::with_framing(stream, Framing::with_limit(limit)) {
            answers += usize::from(Response::parse_enveloped(frame?.message)?.is_some());
        }
        Ok(answers)
    }
    let stream = b"\0\0\0\x08\x08\x00\x12\x04\x08\x07\x10\x01";
    assert_eq!(answers(stream, 100).unwrap(), 1);
    let fault = |stream: &[u8], limit| answers(stream, limit).unwrap_err();
    let too_long = fault(stream, 7);
    assert_eq!(too_long.fault(), Fault::FrameTooLong(8));
    assert_eq!(
        too_long.to_string(),
        "cannot read frame at byte 0: a message of 8 bytes is longer than the limit"
    );
    assert_eq!(fault(&stream[..9], 100).fault(), Fault::Truncated);
    assert_eq!(fault(b"<?xmlx", 100).fault(), Fault::Greeting);
    assert_eq!(fault(b"\0\0\0\x02\x0f\x00", 100).fault(), Fault::WireType);
}

#[tokio::test]
async fn tasks_get_their_answers() {
    let calls = Calls::new();
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
