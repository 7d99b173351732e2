//! Who is about to use a stored password, so that a removal can wait for them.
//!
//! No call may use a removed password after the removal was acknowledged, but a call that read it
//! just before is still about to. So each use acquires a lease before it reads the password, and a
//! removal, once it took effect in the store, waits for all leases acquired before. Leases acquired
//! later read what is stored then and are not waited for.
//!
//! The scheme is that of sleepable read-copy-update: two counters and a phase that says which one
//! new leases count in. A removal flips the phase and waits for the other counter to reach zero.
//! Users whose ids have the same hash share counters; that can only make a removal wait longer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use tokio::sync::{Mutex, Notify};

#[derive(Clone)]
pub(super) struct Leases {
    stripes: Arc<[Stripe]>,
}

#[repr(align(64))]
#[derive(Default)]
struct Stripe {
    phase: AtomicUsize,
    active: [AtomicUsize; 2],
    ended: Notify,
    waiting: Mutex<()>,
}

/// The right to read a stored password and to use it until this is dropped.
pub(super) struct Lease {
    stripes: Arc<[Stripe]>,
    stripe: usize,
    phase: usize,
}

const STRIPES: usize = 256;

// === impl Leases ===

impl Leases {
    pub(super) fn new() -> Self {
        Self {
            stripes: (0..STRIPES).map(|_| Stripe::default()).collect(),
        }
    }

    /// A lease for a password of `user_id`, which is to be read after this.
    pub(super) fn begin(&self, user_id: &str) -> Lease {
        let at = stripe_of(user_id);
        let stripe = &self.stripes[at];
        loop {
            let phase = stripe.phase.load(SeqCst);
            stripe.active[phase].fetch_add(1, SeqCst);
            let lease = Lease {
                stripes: self.stripes.clone(),
                stripe: at,
                phase,
            };
            // If the phase flipped in between, a removal may have missed this lease: again.
            if stripe.phase.load(SeqCst) == phase {
                return lease;
            }
        }
    }

    /// Waits for the leases for a password of `user_id` that have begun.
    pub(super) async fn ended(&self, user_id: &str) {
        let stripe = &self.stripes[stripe_of(user_id)];
        let _alone = stripe.waiting.lock().await;
        let phase = stripe.phase.load(SeqCst);
        // A removal that was cancelled while it waited may have left leases of the other phase.
        stripe.emptied(1 - phase).await;
        stripe.phase.store(1 - phase, SeqCst);
        stripe.emptied(phase).await;
    }
}

/// FNV-1a: cheap, and ids chosen to collide can slow down nothing but removals.
fn stripe_of(user_id: &str) -> usize {
    let hash = user_id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    hash as usize % STRIPES
}

// === impl Stripe ===

impl Stripe {
    async fn emptied(&self, phase: usize) {
        loop {
            // Created before the counter is read, so that no end after it is missed.
            let ended = self.ended.notified();
            if self.active[phase].load(SeqCst) == 0 {
                return;
            }
            ended.await;
        }
    }
}

// === impl Lease ===

impl Drop for Lease {
    fn drop(&mut self) {
        let stripe = &self.stripes[self.stripe];
        if stripe.active[self.phase].fetch_sub(1, SeqCst) == 1 {
            stripe.ended.notify_waiters();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_removal_waits_for_the_leases_before_it_and_no_others() {
        let leases = Leases::new();
        let second = Duration::from_secs(1);
        let before = leases.begin("alice");
        let removal = tokio::spawn({
            let leases = leases.clone();
            async move { leases.ended("alice").await }
        });
        tokio::time::sleep(second).await;
        let after = leases.begin("alice");
        assert!(!removal.is_finished());
        // One who gives up confuses nobody.
        assert!(
            tokio::time::timeout(second, leases.ended("alice"))
                .await
                .is_err()
        );
        drop(before);
        removal.await.unwrap();
        assert!(
            tokio::time::timeout(second, leases.ended("alice"))
                .await
                .is_err()
        );
        let later = leases.begin("alice");
        assert!(
            tokio::time::timeout(second, leases.ended("alice"))
                .await
                .is_err()
        );
        drop(after);
        assert!(
            tokio::time::timeout(second, leases.ended("alice"))
                .await
                .is_err()
        );
        drop(later);
        tokio::time::timeout(second, leases.ended("alice"))
            .await
            .unwrap();
    }

    /// What is removed is marked before the wait; no lease may see the mark missing afterwards.
    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn no_lease_outlives_a_removal_unseen() {
        for _ in 0..200 {
            let leases = Leases::new();
            let (removed, acknowledged) = (
                Arc::new(AtomicBool::new(false)),
                Arc::new(AtomicBool::new(false)),
            );
            let users: Vec<_> = (0..3)
                .map(|_| {
                    let (leases, removed, acknowledged) =
                        (leases.clone(), removed.clone(), acknowledged.clone());
                    tokio::spawn(async move {
                        for _ in 0..50 {
                            let _lease = leases.begin("alice");
                            if !removed.load(SeqCst) {
                                tokio::task::yield_now().await;
                                assert!(
                                    !acknowledged.load(SeqCst),
                                    "used after the acknowledgement"
                                );
                            }
                        }
                    })
                })
                .collect();
            tokio::task::yield_now().await;
            removed.store(true, SeqCst);
            leases.ended("alice").await;
            acknowledged.store(true, SeqCst);
            for user in users {
                user.await.unwrap();
            }
        }
    }
}
