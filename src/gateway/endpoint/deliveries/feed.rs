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
use crate::deliveries::{Deliveries, QueueError, Receipt, Scope};
use crate::gateway::endpoint::answer::{Answer, json, rfc3339, serialize};
use crate::gateway::input::{DeliveryInputError, EventsInput};
use crate::gateway::waits::Wait;
use crate::gateway::{AnswerBody, Error};

/// Time between two signs of life on a stream, which proxies would cut otherwise.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Time after which a stream ends: its token is checked again when the client reconnects.
const MAX_STREAM: Duration = Duration::from_secs(600);
/// Time after which the events are read again that could not be read.
const RETRY: Duration = Duration::from_secs(1);
/// How many events are read at once, and after how many bytes no more are.
const BATCH: usize = 16;
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The cursor of a client that wants nothing that has arrived already.
const NOW: &str = "now";

/// Some events of an account, and where it goes on.
struct Page {
    /// Each with its body.
    events: Vec<(Receipt, Vec<u8>)>,
    through: i64,
    is_gap: bool,
}

/// An event as it is shown.
#[derive(Serialize)]
struct Shown<'a> {
    id: String,
    received_at: String,
    body: &'a RawValue,
}

#[derive(Serialize)]
struct ShownPage<'a> {
    events: Vec<Shown<'a>>,
    cursor: String,
    gap: bool,
}

/// Whoever waits for events.
struct Waiting {
    deliveries: Deliveries,
    account: Box<str>,
    after: i64,
    until: Instant,
    wait: Wait,
}

impl DeliveryRequest {
    pub(super) async fn events(self, input: EventsInput) -> Result<Answer, Error> {
        let account = self.user.user_id();
        let page = match input.cursor.as_deref() {
            None => Page::read(&self.deliveries, account, 0).await?.whole(),
            Some(NOW) => Page::newest(&self.deliveries).await?,
            Some(text) => {
                let cursor = Cursor::parse(text, account).ok_or(DeliveryInputError::Cursor)?;
                Page::read(&self.deliveries, account, cursor.0).await?
            }
        };
        if !input.is_stream && (page.has_news() || input.timeout.is_zero()) {
            return Ok(json(page.to_json(account)));
        }
        let time = match input.is_stream {
            true => MAX_STREAM,
            false => input.timeout,
        };
        let waiting = Waiting {
            after: page.through,
            until: Instant::now() + time,
            wait: self.services.waits.begin(account, &self.deliveries)?,
            account: account.into(),
            deliveries: self.deliveries,
        };
        let mut answer = json(Bytes::new());
        if !input.is_stream {
            let body = stream::once(waiting.long_poll());
            *answer.body_mut() = AnswerBody::stream(body.boxed());
            return Ok(answer);
        }
        let first = page.to_events(&waiting.account);
        let body = stream::once(async { first }).chain(stream::unfold(waiting, Waiting::next));
        *answer.body_mut() = AnswerBody::stream(body.boxed());
        let headers = answer.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        // nginx would collect the stream.
        let buffering = HeaderName::from_static("x-accel-buffering");
        headers.insert(buffering, HeaderValue::from_static("no"));
        Ok(answer)
    }
}

// === impl Page ===

impl Page {
    /// The events of `account` after `after`, as many as one answer may have.
    async fn read(deliveries: &Deliveries, account: &str, after: i64) -> Result<Self, QueueError> {
        let mut page = Self {
            events: Vec::new(),
            through: after,
            is_gap: false,
        };
        let mut bytes = 0;
        while bytes < MAX_BYTES && page.events.len() + BATCH <= MAX_PAGE {
            let scope = Scope::Account(account);
            let read = deliveries
                .queue()
                .events(scope, page.through, BATCH)
                .await?;
            page.is_gap |= read.is_gap;
            page.through = read.through;
            let is_last = read.receipts.len() < BATCH;
            for receipt in read.receipts {
                match deliveries.open_receipt(&receipt).await {
                    Ok(body) => {
                        bytes += body.len();
                        page.events.push((receipt, body));
                    }
                    // Its key is lost: it must not stand before all that follow.
                    Err(_) => page.is_gap = true,
                }
            }
            if is_last {
                break;
            }
        }
        Ok(page)
    }

    /// No events, but the position after all that have arrived.
    async fn newest(deliveries: &Deliveries) -> Result<Self, QueueError> {
        Ok(Self {
            events: Vec::new(),
            through: deliveries.queue().arrivals(i64::MAX).await?.through,
            is_gap: false,
        })
    }

    /// Whoever reads from the beginning misses nothing.
    fn whole(self) -> Self {
        Self {
            is_gap: false,
            ..self
        }
    }

    fn has_news(&self) -> bool {
        self.is_gap || !self.events.is_empty()
    }

    fn to_json(&self, account: &str) -> Bytes {
        serialize(&ShownPage {
            events: self.events.iter().filter_map(shown).collect(),
            cursor: Cursor(self.through).to_text(account),
            gap: self.is_gap,
        })
    }

    /// As server-sent events, with a comment before them, so that the client sees the stream begin.
    fn to_events(&self, account: &str) -> Bytes {
        let mut text = String::from(":\n\n");
        if self.is_gap {
            text += "event: gap\ndata: {}\n\n";
        }
        for event in &self.events {
            let Some(shown) = shown(event) else {
                continue;
            };
            let data = serde_json::to_string(&shown).expect("strings always serialize");
            text += &format!("id: {}\n", Cursor(event.0.position).to_text(account));
            // JSON has line breaks only between its parts, and here they would end the field.
            for line in data.split(['\n', '\r']) {
                text += &format!("data: {line}\n");
            }
            text.push('\n');
        }
        text.into()
    }
}

// === impl Waiting ===

impl Waiting {
    /// The next page with anything on it; `None` at `until`, or when the gateway stops.
    async fn page(&mut self, until: Instant) -> Option<Page> {
        while Instant::now() < until && !self.wait.is_stopping() {
            // Before it looks, so that nothing is missed that arrives meanwhile.
            let arrival = self.wait.arrival();
            let looks_again = match Page::read(&self.deliveries, &self.account, self.after).await {
                Ok(page) => {
                    self.after = page.through;
                    if page.has_news() {
                        return Some(page);
                    }
                    until
                }
                // A failure is temporary, and logged by the store: the client keeps its cursor.
                Err(_) => until.min(Instant::now() + RETRY),
            };
            _ = timeout_at(looks_again, arrival).await;
        }
        None
    }

    async fn long_poll(mut self) -> Bytes {
        let page = self.page(self.until).await;
        let nothing = Page {
            events: Vec::new(),
            through: self.after,
            is_gap: false,
        };
        page.unwrap_or(nothing).to_json(&self.account)
    }

    async fn next(mut self) -> Option<(Bytes, Self)> {
        let now = Instant::now();
        if now >= self.until || self.wait.is_stopping() {
            return None;
        }
        let page = self.page(self.until.min(now + KEEP_ALIVE)).await;
        let piece = page.map(|page| page.to_events(&self.account));
        Some((piece.unwrap_or(Bytes::from_static(b":\n\n")), self))
    }
}

fn shown((receipt, body): &(Receipt, Vec<u8>)) -> Option<Shown<'_>> {
    Some(Shown {
        id: receipt.id.to_string(),
        received_at: rfc3339(receipt.received_at),
        body: serde_json::from_slice(body).ok()?,
    })
}
