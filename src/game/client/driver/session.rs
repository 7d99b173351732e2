use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::OptionFuture;
use tokio::time::{Instant, sleep_until};

use super::link::{Io, Link};
use super::{CLOSE_GRACE, Driver};
use crate::game::client::shared::Outgoing;
use crate::game::client::{
    Answer, CallError, End, KEEP_ALIVE_ID, Notice, Received, Role, session_event,
};
use crate::game::schema::command::{Command, CommandContainer};
use crate::game::schema::event::{Notification, NotifyUser};
use crate::game::schema::response::{OwnedResponse, Response};
use crate::game::transport::connection::ConnectionError;

/// The time limit for writing one message: enough for the largest over a slow line.
const WRITE_LIMIT: Duration = Duration::from_secs(120);

/// The time limit for a server to close a connection after announcing it.
const SERVER_CLOSING: Duration = Duration::from_secs(5);

impl Driver {
    pub(super) async fn drive(&mut self, link: &mut Link) -> Result<Infallible, End> {
        let close = self.shared.close.clone();
        let mut alarm = pin!(sleep_until(link.check_at));
        loop {
            let now = Instant::now();
            let reads = !self.shared.events.is_full(|| self.calls.are_awaited());
            self.check_time(link, now, reads)?;
            let wake = self.proceed(link, now)?;
            if alarm.deadline() != wake {
                alarm.as_mut().reset(wake);
            }
            let may_take = if self.closing { !self.is_unused() } else { self.restoring.is_none() };
            let takes_command = may_take && self.held.is_none();
            tokio::select! {
                io = poll_fn(|cx| link.poll(cx, reads)) => match io {
                    Io::Received(Some(Ok(bytes))) => self.received(link, bytes),
                    Io::Received(end) => return Err(self.ended(link, end)),
                    Io::Written(Ok(())) => {}
                    Io::Written(Err(_)) if self.closing => return Err(End::Closed),
                    // A server often explains why it ends a connection: it is read first.
                    Io::Written(Err(error)) => {
                        let until = Instant::now() + CLOSE_GRACE;
                        link.ending.get_or_insert((End::failed(error), until));
                    }
                },
                () = self.shared.events.freed(), if !reads => {}
                () = close.cancelled(), if !self.closing => self.begin_closing(link),
                command = self.commands.recv(), if takes_command => match command {
                    Some(command) => self.held = Some(command),
                    // The last handle is gone.
                    None => close.cancel(),
                },
                Some(()) = OptionFuture::from(self.held.as_mut().map(Outgoing::abandoned)) => {
                    self.held = None;
                }
                Some(own) = self.own.recv(), if link.is_idle() => if own.is_wanted() {
                    self.write(link, own, Instant::now());
                },
                Some(restored) = OptionFuture::from(self.restoring.as_mut()) => {
                    restored?.into_iter().for_each(|note| self.note(note));
                    self.restoring = None;
                    link.ready_since = Instant::now();
                }
                () = alarm.as_mut() => {}
            }
        }
    }

    fn check_time(&mut self, link: &mut Link, now: Instant, reads: bool) -> Result<(), End> {
        let unread_since = self.shared.events.unread_since();
        self.calls.expire(now, self.settings.call_timeout, unread_since);
        if let Some((end, _)) = link.ending.take_if(|(_, until)| *until <= now) {
            return Err(end);
        }
        if link.write_until.is_some_and(|until| until <= now) {
            return Err(if self.closing { End::Closed } else { End::NotTaken(WRITE_LIMIT) });
        }
        if link.check_at <= now || !reads {
            link.check(now, self.settings.silence(), reads)?;
        }
        Ok(())
    }

    /// Does whatever can be done now, and ends an unused connection; returns when there may be more to do.
    fn proceed(&mut self, link: &mut Link, now: Instant) -> Result<Instant, End> {
        let held_until = self.write_held(link, now);
        if link.is_idle() && link.ping_at <= now {
            self.pings += 1;
            let ping = Command::ping().to_vec(KEEP_ALIVE_ID);
            link.write(ping.into(), self.write_until(now));
        }
        if self.closing && self.is_unused() && link.write_until.is_none() {
            return Err(End::Closed);
        }
        let later = [
            held_until,
            link.write_until,
            Some(link.ping_at),
            link.ending.as_ref().map(|(_, until)| *until),
            self.calls.next_deadline(),
        ];
        // What was due has been done, or waits for something else.
        let later = later.into_iter().flatten().filter(|&later| later > now);
        Ok(later.chain([link.check_at]).min().unwrap_or(now))
    }

    /// Writes the next command of the session's users if it may be written now; returns when to try again.
    fn write_held(&mut self, link: &mut Link, now: Instant) -> Option<Instant> {
        if link.write_until.is_some() {
            return None;
        }
        let held = self.held.take().filter(Outgoing::is_wanted)?;
        let is_ready = self.restoring.is_none() && link.ending.is_none();
        match link.flood.wait(held.weight, now) {
            None if is_ready => self.write(link, held, now),
            _ if self.closing => self.drop_queued(),
            until => {
                self.held = Some(held);
                return until.filter(|_| is_ready);
            }
        }
        None
    }

    fn write(&mut self, link: &mut Link, outgoing: Outgoing, now: Instant) {
        let bytes = outgoing.bytes;
        if let Some((cmd_id, caller)) = outgoing.call {
            let deadline = now + self.settings.call_timeout;
            if !self.calls.begin(cmd_id, caller, deadline) {
                return;
            }
        }
        let weight = outgoing.weight;
        self.idle_warning &= !weight.is_activity;
        // A server does not understand what cannot be read here.
        if self.reconnect.is_some()
            && weight.changes_session
            && let Ok(container) = CommandContainer::parse(&bytes)
        {
            self.log.sent(&container);
        }
        link.flood.sent(weight, now);
        link.write(bytes, self.write_until(now));
    }

    fn write_until(&self, now: Instant) -> Instant {
        now + if self.closing { CLOSE_GRACE } else { WRITE_LIMIT }
    }

    /// Closes the connection once the queued commands are written, as far as the flood limits allow now.
    fn begin_closing(&mut self, link: &mut Link) {
        let now = Instant::now();
        self.commands.close();
        self.closing = true;
        link.write_until = link.write_until.map(|_| self.write_until(now));
    }

    fn received(&mut self, link: &mut Link, bytes: Bytes) {
        let now = Instant::now();
        link.last_message = now;
        let position = self.position;
        self.position += 1;
        let role = match Response::parse_enveloped(&bytes) {
            Ok(Some(response)) => {
                let cmd_id = response.cmd_id();
                if self.reconnect.is_some() {
                    self.log.answered(cmd_id, response.code());
                }
                // A bridge may use that number too.
                if cmd_id == KEEP_ALIVE_ID && self.pings > 0 {
                    self.pings -= 1;
                    return;
                }
                self.calls.deliver(cmd_id, || {
                    let read = OwnedResponse::parse_enveloped(bytes.clone());
                    let response = read.map_err(CallError::Damaged)?;
                    Ok(Answer { position, response: response.expect("its head was read") })
                })
            }
            Ok(None) => {
                let notification = session_event::<NotifyUser<'_>>(&bytes).ok().flatten();
                let kind = notification.and_then(|event| event.r#type);
                self.idle_warning |= kind == Some(Notification::IdleWarning);
                if let Some(notice) = Notice::read(&bytes) {
                    link.ending = Some((End::by_server(notice), now + SERVER_CLOSING));
                }
                Role::Event
            }
            Err(_) => Role::Unreadable,
        };
        if role != Role::Answer || self.settings.answers_among_events {
            let event = Received::new(position, role, bytes);
            self.shared.events.push(event);
        }
    }

    /// How a connection ended on which nothing more can be read.
    fn ended(&self, link: &mut Link, end: Option<Result<Bytes, ConnectionError>>) -> End {
        let end = match (link.ending.take(), end) {
            (Some((end, _)), _) if end.notice().is_some() => end,
            (_, Some(Err(error))) => End::failed(error),
            _ => End::hung_up(),
        };
        // A server that hangs up after warning of idleness does so because of it.
        match end {
            End::HungUp { .. } if self.idle_warning => End::Idle,
            end => end,
        }
    }
}
