//! The caller's events, read at once, by a long poll or as a stream (docs/API.md, section 12.5).
//!
//! Whoever waits gets the head of the answer at once and its body later, so that no request is in flight meanwhile. Until
//! then there are signs of life, of which no client hands anything on: blanks before JSON, comments in a stream.

use std::time::{Duration, UNIX_EPOCH};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use http_body::Frame;
use http_body_util::StreamBody;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};

use super::cursor::{of_mark, parse_mark};
use super::{DeliveryRequest, shown_gaps};
use crate::deliveries::queue::{Gap, MAX_PAGE, Mark};
use crate::deliveries::{Deliveries, Scope};
use crate::gateway::authority::{End, Lease};
use crate::gateway::endpoint::answer::{Answer, json, rfc3339};
use crate::gateway::input::EventsInput;
use crate::gateway::waits::{Wait, Waits};
use crate::gateway::{AnswerBody, Error};

/// Time between two signs of life, without which proxies would cut the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
const MAX_STREAM: Duration = Duration::from_secs(600);
/// Time after which the events are read again that could not be read, or for which there was no room.
const RETRY: Duration = Duration::from_secs(1);
/// The cursor of a client that wants nothing that has arrived already.
const NOW: &str = "now";

/// The events of an account, and how they are shown.
struct Feed {
    deliveries: Deliveries,
    account: Box<str>,
    waits: Waits,
    is_stream: bool,
}

/// Some events, as they are shown, and where it goes on.
struct Page {
    text: Bytes,
    has_news: bool,
    through: Mark,
}

#[derive(Serialize)]
struct Shown<'a> {
    id: String,
    received_at: String,
    body: &'a RawValue,
}

struct Waiting {
    feed: Feed,
    after: Mark,
    until: Instant,
    wait: Wait,
    lease: Option<Lease>,
    end: Option<End>,
    has_ended: bool,
}

impl DeliveryRequest {
    pub(super) async fn events(&self, input: EventsInput) -> Result<Answer, Error> {
        let feed = Feed {
            account: self.user.user_id().into(),
            waits: self.services.waits.clone(),
            deliveries: self.deliveries.clone(),
            is_stream: input.is_stream,
        };
        let mut lease = input.presented.map(|it| Lease::new(it, &feed.account));
        let (after, mut page) = match input.cursor.as_deref() {
            None => (Mark::default(), feed.read(None).await?),
            Some(NOW) => {
                let queue = feed.deliveries.queue();
                let newest =
                    queue.events(Scope::Account(&feed.account), Mark::default(), 0).await?;
                let gaps = queue.gaps(0, UNIX_EPOCH).await?;
                let newest = Mark { gap: last_of(&gaps, 0), ..newest.through };
                (newest, feed.page("", false, &[], newest)?)
            }
            Some(text) => {
                let mark = parse_mark(text, &feed.account)?;
                (mark, feed.read(Some(mark)).await?)
            }
        };
        // Reading may have waited for its turn: then nothing is given, and a stream ends with the reason.
        if let Some(lease) = &mut lease
            && lease.check(feed.waits.authority()).await.is_err()
        {
            page = feed.page("", false, &[], after)?;
        }
        if !input.is_stream && (page.has_news || input.timeout.is_zero()) {
            return Ok(json(page.text));
        }
        let time = if input.is_stream { MAX_STREAM } else { input.timeout };
        let waiting = Waiting {
            after: page.through,
            until: Instant::now() + time,
            wait: feed.waits.begin(&feed.account, &feed.deliveries, input.is_stream)?,
            lease,
            end: None,
            has_ended: false,
            feed,
        };
        let mut answer = json(Bytes::new());
        let first = stream::iter(input.is_stream.then_some(page.text));
        let body = first.chain(stream::unfold(waiting, Waiting::next));
        let frames = body.map(|piece| Ok(Frame::data(piece)));
        *answer.body_mut() = AnswerBody::streamed(StreamBody::new(frames));
        let headers = answer.headers_mut();
        if input.is_stream {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        }
        // What compresses or collects it would hold it back.
        let caching = HeaderValue::from_static("no-store, no-transform");
        headers.insert(CACHE_CONTROL, caching);
        let buffering = HeaderName::from_static("x-accel-buffering");
        headers.insert(buffering, HeaderValue::from_static("no"));
        Ok(answer)
    }
}

// === impl Feed ===

impl Feed {
    /// The events after `after`, as many as the queue reads at once. From the beginning nothing counts as missed.
    async fn read(&self, after: Option<Mark>) -> Result<Page, Error> {
        let queue = self.deliveries.queue();
        let _call = queue.call(&self.account);
        let _turn = self.waits.turn_to_read(&self.account).await;
        let scope = Scope::Account(&self.account);
        let begin = after.unwrap_or_default();
        let read = queue.events(scope, begin, MAX_PAGE).await?;
        let mut gaps = queue.gaps(begin.gap, UNIX_EPOCH).await?;
        let gap = last_of(&gaps, begin.gap);
        if after.is_none() {
            // The last one stays for those who read before it.
            let keep = self.deliveries.limits().keep;
            gaps.retain(|gap| gap.until.elapsed().unwrap_or_default() < keep);
        }
        let (mut events, mut is_gap) = (String::new(), read.is_gap && after.is_some());
        is_gap |= !gaps.is_empty();
        for receipt in read.receipts {
            // Each takes up to a millisecond or two.
            tokio::task::yield_now().await;
            let opened = self.deliveries.open_receipt(&receipt).await;
            let Some(body) = self.deliveries.unless_lost(opened).await? else {
                // Its key is lost, or it was given up: it must not stand before all that follow.
                is_gap |= after.is_some() || !receipt.sealed.is_empty();
                continue;
            };
            let shown = Shown {
                id: receipt.id.to_string(),
                received_at: rfc3339(receipt.received_at),
                body: serde_json::from_slice(&body).unwrap_or(RawValue::NULL),
            };
            let data = serde_json::to_string(&shown).expect("strings always serialize");
            if self.is_stream {
                let id = of_mark(Mark { gap, ..receipt.mark() }, &self.account);
                events += &format!("id: {id}\n");
                // JSON has line breaks only between its parts, and here they would end the field.
                for line in data.split(['\n', '\r']) {
                    events.extend(["data: ", line, "\n"]);
                }
                events.push('\n');
            } else {
                events.extend([if events.is_empty() { "" } else { "," }, &data]);
            }
        }
        self.page(&events, is_gap, &gaps, Mark { gap, ..read.through })
    }

    /// The error is that it has no room in memory. A stream ends each with an event that has the cursor: even if no other has
    /// come, a client that connects again goes on from there, and neither misses what arrives meanwhile nor hears of a gap
    /// twice. An id without data is dropped by some clients, and handed on as an event by others.
    fn page(&self, events: &str, is_gap: bool, gaps: &[Gap], through: Mark) -> Result<Page, Error> {
        let cursor = of_mark(through, &self.account);
        let gaps = shown_gaps(gaps);
        let text = if self.is_stream {
            let gap = format!("event: gap\ndata: {{\"gaps\":{gaps}}}\n\n");
            let gap = if is_gap { &*gap } else { "" };
            let cursor = format!("event: cursor\nid: {cursor}\ndata: {cursor}\n\n");
            [gap, events, &cursor].concat()
        } else {
            format!(r#"{{"events":[{events}],"cursor":"{cursor}","gap":{is_gap},"gaps":{gaps}}}"#)
        };
        Ok(Page {
            text: self.waits.hold(&self.account, text.into())?,
            has_news: is_gap || !events.is_empty(),
            through,
        })
    }
}

/// The number of the last gap that somebody was told of who is told of these.
fn last_of(gaps: &[Gap], before: i64) -> i64 {
    gaps.last().map_or(before, |gap| gap.number)
}

// === impl Waiting ===

impl Waiting {
    /// Whether it may go on: the token is still accepted, for this account.
    async fn check(&mut self) -> bool {
        self.end = match &mut self.lease {
            _ if self.wait.end().is_some() => self.wait.end(),
            Some(lease) => lease.check(self.feed.waits.authority()).await.err(),
            None => None,
        };
        self.end.is_none()
    }

    /// The next page with anything on it; `None` at `until`, or when it ends.
    async fn page(&mut self, until: Instant) -> Option<Bytes> {
        while self.check().await && Instant::now() < until {
            // Before it looks, so that nothing is missed that arrives meanwhile.
            let arrival = self.wait.arrival();
            let looks_again = match self.feed.read(Some(self.after)).await {
                Ok(page) => {
                    if page.has_news {
                        drop(arrival);
                        // Reading may have waited for its turn.
                        if !self.check().await {
                            break;
                        }
                        self.after = page.through;
                        self.wait.gets();
                        return Some(page.text);
                    }
                    self.after = page.through;
                    self.lease.as_ref().map_or(until, |it| until.min(it.next_check(KEEP_ALIVE)))
                }
                // A failure is temporary, and logged by the store: the client keeps its cursor.
                Err(_) => until.min(Instant::now() + RETRY),
            };
            _ = timeout_at(looks_again, arrival).await;
        }
        None
    }

    async fn next(mut self) -> Option<(Bytes, Self)> {
        if self.has_ended {
            return None;
        }
        let page = self.page(self.until.min(Instant::now() + KEEP_ALIVE)).await;
        let is_over = Instant::now() >= self.until;
        let end = self.end.or(is_over.then_some(End::Time));
        let is_stream = self.feed.is_stream;
        self.has_ended = end.is_some() || (page.is_some() && !is_stream);
        let mut piece = page.unwrap_or_else(|| match (is_stream, end) {
            (true, Some(_)) => Bytes::new(),
            // Without an empty line, which some clients take for the end of an event.
            (true, None) => Bytes::from_static(b":\n"),
            (false, None) => Bytes::from_static(b" "),
            (false, Some(_)) => {
                self.feed.page("", false, &[], self.after).map(|page| page.text).unwrap_or_default()
            }
        });
        if let Some(end) = end.filter(|_| is_stream) {
            let end = format!("event: end\ndata: {{\"reason\":\"{}\"}}\n\n", end.as_str());
            piece = [&*piece, end.as_bytes()].concat().into();
        }
        Some((piece, self))
    }
}
