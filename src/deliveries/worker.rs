//! The work behind the queue: which targets want a receipt, attempts, and removing what is old.

use std::collections::HashMap;
use std::mem;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::{Either, FutureExt as _, join, join5, select};
use rustls::pki_types::CertificateDer;
use tokio::sync::{OnceCell, mpsc};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::matching::{Lane, Matching};
use super::place::MAX_IN_FLIGHT;
use super::queue::{News, Round, SIGN_INTERVAL};
use super::ready::ReadyTargets;
use super::schedule::next_attempt;
use super::send::{AttemptResult, Sender};
use super::{
    AttemptOutcome, Claimed, Completed, Completion, Deliveries, Networks, QueueError, Receipt,
};
use crate::causes::with_causes;
use crate::groupware::EventClasses;
use crate::tally::{FailureTally, Tally};
use crate::tls;

/// Deliveries that are claimed together.
const BATCH: usize = 256;
/// How long to wait for news before looking again, and after a failure of the store.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long attempts of a run are made one after another: what is left is claimed anew then, so that what ended is soon noted,
/// and nothing waits for a slow one.
const RUN_TIME: Duration = Duration::from_millis(100);
/// How long to wait for other attempts under way after some have ended, so that one transaction notes them.
const TOGETHER: Duration = Duration::from_millis(1);
/// After what time a delivery is due again of which no attempt could be made.
const NOT_ATTEMPTED: Duration = Duration::from_secs(1);
/// After what time a delivery is tried again for which a key is missing.
const UNOPENED: Duration = Duration::from_mins(1);
/// How long between two looks for gateways that are gone.
const TAKE_OVER_INTERVAL: Duration = Duration::from_secs(2);
/// How long between two removals of what is old.
const CLEAN_INTERVAL: Duration = Duration::from_secs(20);

/// Brings what was received to the targets that want it.
///
/// Any number of workers share a queue: each claims up to 256 deliveries at a time, and no transaction is open during
/// an attempt. It keeps in memory what is in flight, and nothing that grows with the queue. Clones share everything.
#[derive(Clone, Debug)]
pub struct Worker(Arc<Parts>);

#[derive(Debug)]
pub(super) struct Parts {
    pub(super) deliveries: Deliveries,
    sender: Sender,
    pub(super) matching: Matching,
    pub(super) targets: ReadyTargets,
    failures: FailureTally,
    pub(super) panics: Arc<Tally>,
}

/// What is sent of a receipt, for its deliveries that are claimed together: opened by the first that needs it, and `None` if
/// it is gone.
type Body = OnceCell<Option<Bytes>>;

// === impl Worker ===

impl Worker {
    /// A worker on `deliveries`, which sends to the addresses that `networks` permits. Certificates of targets are
    /// verified with the system's authorities, or Mozilla's if the system has none. It interprets filters by the [event
    /// classes](crate::gateway::Settings::event_classes) of the last service of a gateway that has it; before there is
    /// one, by the known ones.
    pub fn new(deliveries: Deliveries, networks: Networks) -> Self {
        Self::with_sender(deliveries, Sender::with_system_roots(networks))
    }

    /// As [`new`](Self::new), also with the authorities `extra`; [`certificates`](crate::outbound::certificates) reads them.
    ///
    /// # Errors
    /// One of `extra` is not a valid certificate.
    pub fn with_extra_ca(
        deliveries: Deliveries,
        networks: Networks,
        extra: impl IntoIterator<Item = CertificateDer<'static>>,
    ) -> Result<Self, rustls::Error> {
        let tls = tls::config(tls::trusted_roots(), extra)?;
        Ok(Self::with_sender(deliveries, Sender::new(networks, tls)))
    }

    #[doc(hidden)]
    pub fn with_sender(deliveries: Deliveries, sender: Sender) -> Self {
        let failures = FailureTally::new(|count, cause| {
            tracing::error!(count, cause, "deliveries are held up: the queue failed");
        });
        Self(Arc::new(Parts {
            deliveries,
            sender,
            matching: Matching::new(&EventClasses::default()),
            targets: ReadyTargets::new(),
            failures,
            panics: Tally::new(|count| {
                tracing::error!(count, "the work on deliveries panicked: please report this");
            }),
        }))
    }

    /// What it works on.
    pub fn deliveries(&self) -> &Deliveries {
        &self.0.deliveries
    }

    pub(crate) fn sender(&self) -> &Sender {
        &self.0.sender
    }

    /// Interprets filters by `classes` from the next batch on.
    pub(crate) fn set_event_classes(&self, classes: &EventClasses) {
        self.0.matching.set_event_classes(classes);
    }

    /// Works until `stop`; then it makes no more attempts, and ends with those in flight, once the queue has noted how
    /// they ended: drop it to wait no longer.
    pub async fn run(self, stop: CancellationToken) {
        let (parts, stop) = (&self.0, &stop);
        let quick = parts.go_on(stop, || parts.match_all(Lane::Quick, stop));
        let costly = parts.go_on(stop, || parts.match_all(Lane::Costly, stop));
        let sending = parts.go_on(stop, || parts.send_all(stop));
        let cleaning = parts.go_on(stop, || parts.clean_all(stop));
        let taking_over = parts.go_on(stop, || parts.take_over_all(stop));
        let working = join5(quick, costly, sending, cleaning, taking_over);
        let showing = parts.go_on(stop, || parts.show_presence(stop));
        join(working, showing).await;
    }
}

// === impl Parts ===

/// Until when to wait for news: all look at the same time, so that an idle gateway is woken less often.
pub(super) fn next_look() -> Duration {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    POLL_INTERVAL - Duration::from_nanos(BEGAN.elapsed().subsec_nanos().into())
}

impl Parts {
    /// Begins `work` again if it panics: a fault in here must not hold up what is delivered until a restart.
    async fn go_on<W: Future>(&self, stop: &CancellationToken, work: impl Fn() -> W) {
        while AssertUnwindSafe(work()).catch_unwind().await.is_err() {
            self.panics.count();
            stop.run_until_cancelled(sleep(POLL_INTERVAL)).await;
        }
    }

    /// Removes what is old until `stop`.
    async fn clean_all(&self, stop: &CancellationToken) {
        let keep = self.deliveries.limits().keep;
        while !stop.is_cancelled() {
            match self.deliveries.queue().clean(keep).await {
                Ok(0) => {
                    stop.run_until_cancelled(sleep(CLEAN_INTERVAL)).await;
                }
                Ok(_) => tokio::task::yield_now().await,
                Err(error) => self.log_and_pause(&error, stop).await,
            }
        }
    }

    /// Leaves signs of life until `stop`.
    async fn show_presence(&self, stop: &CancellationToken) {
        let keep = self.deliveries.limits().keep;
        while !stop.is_cancelled() {
            if let Err(error) = self.deliveries.queue().sign_of_life(keep).await {
                self.log_and_pause(&error, stop).await;
                continue;
            }
            stop.run_until_cancelled(sleep(SIGN_INTERVAL - POLL_INTERVAL + next_look())).await;
        }
    }

    /// Ends what gateways have left that are gone, until `stop`.
    async fn take_over_all(&self, stop: &CancellationToken) {
        while !stop.is_cancelled() {
            match self.deliveries.queue().take_over().await {
                Ok(true) => {}
                Ok(false) => return,
                Err(error) => self.failures.count(&with_causes(&error)),
            }
            stop.run_until_cancelled(sleep(TAKE_OVER_INTERVAL)).await;
        }
    }

    /// Logs a failure, and waits a little.
    pub(super) async fn log_and_pause(&self, error: &QueueError, stop: &CancellationToken) {
        self.failures.count(&with_causes(error));
        stop.run_until_cancelled(sleep(POLL_INTERVAL)).await;
    }

    /// Claims deliveries, makes the attempts, and notes how they ended, until `stop`.
    async fn send_all(self: &Arc<Self>, stop: &CancellationToken) {
        let queue = self.deliveries.queue();
        let mut runs = JoinSet::new();
        let (give_back, mut ending) = mpsc::unbounded_channel::<Vec<_>>();
        let mut ended = Vec::<Completion>::new();
        loop {
            let mut changed = pin!(queue.news(News::Due).notified());
            changed.as_mut().enable();
            reap(&mut runs, &mut ending, &mut ended);
            let round = |ended: &[Completion], runs: &JoinSet<()>| Round {
                ended: ended[..ended.len().min(BATCH)].to_vec(),
                limit: match stop.is_cancelled() {
                    true => 0,
                    false => MAX_IN_FLIGHT.saturating_sub(runs.len()).min(BATCH),
                },
                places: self.sender.places(),
            };
            let Round { ended: now_ended, limit, places } = round(&ended, &runs);
            match queue.complete_and_claim(now_ended, limit, places).await {
                Ok((completed, claimed)) => {
                    forget(&mut ended, &completed);
                    let is_more = !ended.is_empty() || (limit > 0 && claimed.len() == limit);
                    self.begin(&claimed, &mut runs, &give_back, stop);
                    if is_more {
                        continue;
                    }
                }
                // What ended is noted with the next ones, if the leases last so long; also after `stop`, since it would be
                // sent again.
                Err(error) => {
                    self.failures.count(&with_causes(&error));
                    sleep(POLL_INTERVAL).await;
                    continue;
                }
            }
            // Until it has to look itself: what comes meanwhile is sent at once, and what ended is noted with that.
            let mut looks = false;
            while !looks {
                reap(&mut runs, &mut ending, &mut ended);
                if stop.is_cancelled() && runs.is_empty() && ended.is_empty() {
                    return;
                }
                let (offered, is_none_ended) = (round(&ended, &runs), ended.is_empty());
                let until = async {
                    if is_none_ended {
                        tokio::select! {
                            Some(_) = runs.join_next() => return,
                            Some(attempts) = ending.recv() => return ended.extend(attempts),
                            () = changed.as_mut() => {}
                            () = sleep(next_look()) => {}
                            () = stop.cancelled(), if !stop.is_cancelled() => {}
                        }
                    } else {
                        let others = async {
                            while ended.len() < BATCH && !runs.is_empty() {
                                tokio::select! {
                                    Some(_) = runs.join_next() => {}
                                    Some(attempts) = ending.recv() => ended.extend(attempts),
                                }
                            }
                        };
                        tokio::select! {
                            () = others => {}
                            () = changed.as_mut() => {}
                            () = sleep(TOGETHER) => {}
                        }
                    }
                    looks = true;
                };
                match queue.carried_out(offered, until).await {
                    Some((completed, claimed, is_last)) => {
                        looks |= !is_last;
                        forget(&mut ended, &completed);
                        self.begin(&claimed, &mut runs, &give_back, stop);
                    }
                    None => looks |= !is_none_ended,
                }
            }
        }
    }

    /// Begins attempts.
    fn begin(
        self: &Arc<Self>,
        claimed: &[Claimed],
        runs: &mut JoinSet<()>,
        give_back: &mpsc::UnboundedSender<Vec<Completion>>,
        stop: &CancellationToken,
    ) {
        let mut bodies = HashMap::<_, Arc<Body>>::new();
        for run in claimed.chunk_by(Claimed::are_in_one_run) {
            let (parts, stop) = (self.clone(), stop.clone());
            let place = self.sender.take_place(run[0].target.clone());
            let body = |it: &Claimed| bodies.entry(it.receipt.position).or_default().clone();
            let bodies: Vec<_> = run.iter().map(body).collect();
            let (run, give_back) = (run.to_vec(), give_back.clone());
            runs.spawn(async move {
                let _place = place;
                let run = run.into_iter().zip(bodies);
                _ = give_back.send(parts.attempt_all(run, &stop, &give_back).await);
            });
        }
    }

    /// Makes one attempt after another, as long as they succeed and take less than [`RUN_TIME`] together. What is left is given
    /// back with the others, or before the end of one that takes longer.
    async fn attempt_all(
        &self,
        mut run: impl Iterator<Item = (Claimed, Arc<Body>)>,
        stop: &CancellationToken,
        give_back: &mpsc::UnboundedSender<Vec<Completion>>,
    ) -> Vec<Completion> {
        let mut is_late = pin!(sleep(RUN_TIME));
        let mut ended = Vec::new();
        while let Some((claimed, body)) = run.next() {
            let mut attempt = pin!(self.attempt(claimed, &body));
            let mut rest = run.by_ref().map(|(left, _)| left.given_back(Duration::ZERO));
            let completion = match select(attempt.as_mut(), is_late.as_mut()).await {
                Either::Left((completion, _)) => completion,
                Either::Right(_) => {
                    ended.extend(rest.by_ref());
                    if !ended.is_empty() {
                        _ = give_back.send(mem::take(&mut ended));
                    }
                    attempt.await
                }
            };
            let goes_on = completion.outcome == Some(AttemptOutcome::Delivered)
                && !is_late.is_elapsed()
                && !stop.is_cancelled();
            ended.push(completion);
            if !goes_on {
                ended.extend(rest);
            }
        }
        ended
    }

    async fn attempt(&self, claimed: Claimed, body: &Body) -> Completion {
        let answer = match self.deliveries.check_binding(&claimed.target).await {
            Ok(true) => AssertUnwindSafe(self.send(&claimed, body)).catch_unwind().await,
            // It waits until the target is not suspended any more.
            Ok(false) => return claimed.given_back(NOT_ATTEMPTED),
            Err(error) => Ok(Err(error)),
        };
        let answer = match answer {
            Ok(Ok(answer)) => answer,
            // It is tried again by its schedule, as after an answer that cannot be read.
            Err(_) => {
                self.panics.count();
                AttemptOutcome::Broken.into()
            }
            Ok(Err(error)) => {
                self.failures.count(&with_causes(&error));
                match error {
                    // Those that are due need not be claimed again and again meanwhile.
                    QueueError::Store(_) => {
                        sleep(NOT_ATTEMPTED).await;
                        return claimed.given_back(Duration::ZERO);
                    }
                    _ => AttemptOutcome::Unopened.into(),
                }
            }
        };
        let again = match answer.outcome {
            AttemptOutcome::Delivered | AttemptOutcome::Gone => None,
            // It costs no step.
            AttemptOutcome::Unopened => Some(UNOPENED),
            _ => next_attempt(claimed.tries, answer.retry_after),
        };
        self.deliveries.attempted(answer.outcome, again.is_none());
        let status = answer.status.map(|status| status.as_u16());
        Completion { claimed, outcome: Some(answer.outcome), status, again }
    }

    async fn send(&self, claimed: &Claimed, body: &Body) -> Result<AttemptResult, QueueError> {
        let target = self.targets.get(&self.deliveries, &claimed.target).await?;
        let open = || self.open(&claimed.receipt);
        let Some(body) = body.get_or_try_init(open).await? else {
            // It was removed meanwhile, and so is the delivery.
            return Ok(AttemptOutcome::Forbidden.into());
        };
        let sending = target.send(&self.sender, &claimed.target, claimed.id(), body);
        Ok(sending.await)
    }

    async fn open(&self, receipt: &Receipt) -> Result<Option<Bytes>, QueueError> {
        let read;
        let mut receipt = receipt;
        if receipt.sealed.is_empty() {
            // It is large, or was removed meanwhile.
            read = self.deliveries.queue().receipt(receipt.position).await?;
            // After a failover another one may have its position.
            match &read {
                Some(read) if read.id == receipt.id => receipt = read,
                _ => return Ok(None),
            }
        }
        Ok(Some(self.deliveries.open_receipt(receipt).await?.into()))
    }
}

/// Takes over how attempts ended: of all runs that were joined, in the order in which those of each ended.
fn reap(
    runs: &mut JoinSet<()>,
    ending: &mut mpsc::UnboundedReceiver<Vec<Completion>>,
    ended: &mut Vec<Completion>,
) {
    while runs.try_join_next().is_some() {}
    while let Ok(attempts) = ending.try_recv() {
        ended.extend(attempts);
    }
}

/// Forgets what was noted of the first that `ended`, and says which targets are not delivered to any more.
fn forget(ended: &mut Vec<Completion>, completed: &[Completed]) {
    for (ended, completed) in ended.drain(..completed.len()).zip(completed) {
        if *completed == Completed::Disabled {
            let target = &ended.claimed.target;
            tracing::warn!(
                delivery_target = %target.id,
                account = target.account.as_deref().unwrap_or("*"),
                outcome = ended.outcome.map(AttemptOutcome::as_str),
                "a target of deliveries is disabled: it answered 410, or every attempt has failed for five days; resume it by portreeve deliveries resume"
            );
        }
    }
}
