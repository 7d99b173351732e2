//! The outbound client's hand-made synchronisation, compiled with loom's atomics, which try every order in which
//! threads can meet at them.

#[path = "../../src/outbound/pool/wake_filter.rs"]
mod wake_filter;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Poll, Waker};

use loom::future::block_on;
use loom::thread;

use sync::{AtomicU8, Ordering};
use wake_filter::WakeFilter;

mod sync {
    use std::task::Waker;

    pub(crate) use loom::sync::atomic::{AtomicU8, Ordering};

    /// With the methods of the one in `futures-util`.
    #[derive(Default)]
    pub(crate) struct AtomicWaker(loom::future::AtomicWaker);

    impl AtomicWaker {
        pub(crate) fn register(&self, waker: &Waker) {
            self.0.register_by_ref(waker);
        }

        pub(crate) fn wake(&self) {
            self.0.wake();
        }

        pub(crate) fn take(&self) -> Option<Waker> {
            self.0.take_waker()
        }
    }
}

/// All orders in which one thread cuts in on the other up to three times: without that bound there are too many.
fn in_all_orders(model: impl Fn() + Send + Sync + 'static) {
    let mut orders = loom::model::Builder::new();
    orders.preemption_bound = Some(3);
    orders.check(model);
}

/// Waits, as a call on a connection does, until `arrived` is what is awaited. loom fails if it is never woken.
fn call(filter: &WakeFilter, arrived: &AtomicU8, awaited: u8) {
    block_on(poll_fn(|cx| {
        let polling = filter.begin(cx.waker());
        loop {
            polling.clear();
            // Relaxed: what a wake-up is about must be visible by the flags alone.
            if arrived.load(Ordering::Relaxed) >= awaited {
                return Poll::Ready(());
            }
            if !polling.is_woken() {
                return Poll::Pending;
            }
        }
    }));
    filter.forget();
}

/// A connection on which so many parts of an answer arrive, each with a wake-up, while `call` runs.
fn while_parts_arrive(parts: u8, call: impl Fn(&WakeFilter, &AtomicU8) + Send + Sync + 'static) {
    in_all_orders(move || {
        let filter = Arc::new(WakeFilter::default());
        let arrived = Arc::new(AtomicU8::new(0));
        let (waker, there) = (Waker::from(filter.clone()), arrived.clone());
        let server = thread::spawn(move || {
            for part in 1..=parts {
                there.store(part, Ordering::Relaxed);
                waker.wake_by_ref();
            }
        });
        call(&filter, &arrived);
        server.join().unwrap();
    });
}

#[test]
fn a_wake_up_at_any_moment_of_a_poll_reaches_the_call() {
    while_parts_arrive(1, |filter, arrived| call(filter, arrived, 1));
}

#[test]
fn the_second_of_two_wake_ups_is_not_taken_for_the_first() {
    while_parts_arrive(2, |filter, arrived| call(filter, arrived, 2));
}

#[test]
fn a_wake_up_that_one_call_leaves_behind_does_not_keep_the_next_from_its_own() {
    while_parts_arrive(2, |filter, arrived| {
        call(filter, arrived, 1);
        call(filter, arrived, 2);
    });
}
