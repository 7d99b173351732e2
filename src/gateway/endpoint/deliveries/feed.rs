//! The caller's events, read at once, by a long poll or as a stream (docs/API.md, section 12.5).
//!
//! Whoever waits gets the head of the answer at once and its body later, so that no request is in flight meanwhile.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::time::{Instant, timeout_at};

use super::DeliveryRequest;
use super::cursor::Cursor;
use crate::deliveries::queue::MAX_PAGE;
use crate::deliveries::{Deliveries, Scope};
use crate::gateway::endpoint::answer::{Answer, json, rfc3339};
use crate::gateway::input::{DeliveryInputError, EventsInput};
use crate::gateway::waits::{Wait, Waits};
use crate::gateway::{AnswerBody, Error};

/// Time between two signs of life on a stream, which proxies would cut otherwise.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Time after which a stream ends: its token is checked again when the client reconnects.
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
#[derive(Default)]
struct Page {
    text: Bytes,
    has_news: bool,
    through: i64,
}

/// An event as it is shown.
#[derive(Serialize)]
struct Shown<'a> {
    id: String,
    received_at: String,
    body: &'a RawValue,
}

/// Whoever waits for events.
struct Waiting {
    feed: Feed,
    after: i64,
    until: Instant,
    wait: Wait,
}

impl DeliveryRequest {
    pub(super) async fn events(self, input: EventsInput) -> Result<Answer, Error> {
        let feed = Feed {
            account: self.user.user_id().into(),
            waits: self.services.waits.clone(),
            deliveries: self.deliveries,
            is_stream: input.is_stream,
        };
        let page = match input.cursor.as_deref() {
            None => feed.read(None).await?,
            Some(NOW) => {
                let arrivals = feed.deliveries.queue().arrivals(i64::MAX).await?;
                feed.page("", false, arrivals.through)?
            }
            Some(text) => {
                let cursor = Cursor::parse(text, &feed.account);
                let cursor = cursor.ok_or(DeliveryInputError::Cursor)?;
                feed.read(Some(cursor.0)).await?
            }
        };
        if !input.is_stream && (page.has_news || input.timeout.is_zero()) {
            return Ok(json(page.text));
        }
        let time = if input.is_stream {
            MAX_STREAM
        } else {
            input.timeout
        };
        let waiting = Waiting {
            after: page.through,
            until: Instant::now() + time,
            wait: feed.waits.begin(&feed.account, &feed.deliveries)?,
            feed,
        };
        let mut answer = json(Bytes::new());
        if !input.is_stream {
            *answer.body_mut() = AnswerBody::stream(stream::once(waiting.long_poll()).boxed());
            return Ok(answer);
        }
        let body = stream::once(async { page.text });
        let body = body.chain(stream::unfold(waiting, Waiting::next));
        *answer.body_mut() = AnswerBody::stream(body.boxed());
        let headers = answer.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        // nginx would collect the stream.
        let buffering = HeaderName::from_static("x-accel-buffering");
        headers.insert(buffering, HeaderValue::from_static("no"));
        Ok(answer)
    }
}

// === impl Feed ===

impl Feed {
    /// The events after `after`, as many as the queue reads at once. Whoever reads from the beginning misses nothing.
    async fn read(&self, after: Option<i64>) -> Result<Page, Error> {
        let _turn = self.waits.turn_to_read().await;
        let scope = Scope::Account(&self.account);
        let queue = self.deliveries.queue();
        let read = queue.events(scope, after.unwrap_or(0), MAX_PAGE).await?;
        let (mut events, mut is_gap) = (String::new(), read.is_gap);
        for receipt in read.receipts {
            // Each takes up to a millisecond or two.
            tokio::task::yield_now().await;
            let Ok(body) = self.deliveries.open_receipt(&receipt).await else {
                // Its key is lost: it must not stand before all that follow.
                is_gap = true;
                continue;
            };
            let shown = Shown {
                id: receipt.id.to_string(),
                received_at: rfc3339(receipt.received_at),
                body: serde_json::from_slice(&body).unwrap_or(RawValue::NULL),
            };
            let data = serde_json::to_string(&shown).expect("strings always serialize");
            if self.is_stream {
                let id = Cursor(receipt.position).to_text(&self.account);
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
        self.page(&events, is_gap && after.is_some(), read.through)
    }

    /// The error is that it has no room in memory. A stream ends each with an id alone: even if no event has come, a client
    /// that connects again goes on from there, and neither misses what arrives meanwhile nor hears of a gap twice.
    fn page(&self, events: &str, is_gap: bool, through: i64) -> Result<Page, Error> {
        let cursor = Cursor(through).to_text(&self.account);
        let text = if self.is_stream {
            let gap = ["", "event: gap\ndata: {}\n\n"][usize::from(is_gap)];
            [gap, events, "id: ", &cursor, "\n\n"].concat()
        } else {
            format!(r#"{{"events":[{events}],"cursor":"{cursor}","gap":{is_gap}}}"#)
        };
        Ok(Page {
            text: self.waits.hold(&self.account, text.into())?,
            has_news: is_gap || !events.is_empty(),
            through,
        })
    }
}

// === impl Waiting ===

impl Waiting {
    /// The next page with anything on it; an empty one at `until`, or when the gateway stops.
    async fn page(&mut self, until: Instant) -> Bytes {
        while Instant::now() < until && !self.wait.is_stopping() {
            // Before it looks, so that nothing is missed that arrives meanwhile.
            let arrival = self.wait.arrival();
            let looks_again = match self.feed.read(Some(self.after)).await {
                Ok(page) => {
                    self.after = page.through;
                    if page.has_news {
                        return page.text;
                    }
                    until
                }
                // A failure is temporary, and logged by the store: the client keeps its cursor.
                Err(_) => until.min(Instant::now() + RETRY),
            };
            _ = timeout_at(looks_again, arrival).await;
        }
        let nothing = self.feed.page("", false, self.after);
        nothing.unwrap_or_default().text
    }

    async fn long_poll(mut self) -> Bytes {
        self.page(self.until).await
    }

    async fn next(mut self) -> Option<(Bytes, Self)> {
        let now = Instant::now();
        if now >= self.until || self.wait.is_stopping() {
            return None;
        }
        let page = self.page(self.until.min(now + KEEP_ALIVE)).await;
        Some((page, self))
    }
}
