//! What the stand-in for Nextcloud does, and what it got: `server …`.

use super::{Outcome, Talk, decoded, time};
use crate::pattern::{json, matches, matches_text};
use crate::script::{self, Line};
use crate::support::gateway::PASSWORD;
use crate::support::nextcloud::{Fault, Seen};

impl Talk<'_> {
    pub(super) async fn server(&mut self, line: &Line, rest: &str) -> Outcome {
        let words: Vec<_> = rest.split(' ').collect();
        match words[..] {
            ["version", _] => {}
            ["answers", name] => self.nextcloud.answer(name),
            ["answers", name, "once"] => self.nextcloud.answer_once(name),
            ["answers", name, "to", user] => self.nextcloud.answer_for(user, name),
            ["answers", name, "with", status, ref body @ ..] => {
                let status = status.parse().map_err(|_| "no status".to_owned())?;
                self.nextcloud.answer_with(name, status, body.join(" "));
            }
            ["accounts"] => {
                let users = ["admin", "alice", "bob"].map(|user| (user, user, PASSWORD));
                self.nextcloud.accounts(users);
            }
            ["allows", user, login_name, password] => {
                self.nextcloud.allow(&decoded(user), &decoded(login_name), password);
            }
            ["allows-account-password", user, password] => {
                self.nextcloud.allow_account_password(user, password);
            }
            ["revokes", login_name, password] => self.nextcloud.revoke(login_name, password),
            ["revokes", users] => {
                for user in script::users(users) {
                    let password = self.names.get(&user).ok_or("it has no password")?;
                    self.nextcloud.revoke(&user, password);
                }
            }
            ["refuses", "bearer"] => self.nextcloud.refuse_bearer(),
            ["intercepts", "bearer"] => self.nextcloud.intercept_bearer(),
            ["blocks"] => self.nextcloud.block(),
            ["unblocks"] => self.nextcloud.forget_failures(),
            ["keeps", "webhooks"] => self.nextcloud.keep_webhooks(),
            ["fails", fault] => self.nextcloud.fault(fault_named(fault)?).await,
            ["heals"] => self.nextcloud.heal().await,
            ["delays", delay] => self.nextcloud.delay(time(delay)?),
            ["holds"] => self.nextcloud.holds(),
            ["goes", "on"] => self.nextcloud.goes_on(),
            ["counts", ref wanted @ .., kind, "logins"] => {
                let found = match kind {
                    "failed" => self.nextcloud.failed_logins(),
                    _ => self.nextcloud.throttled_logins(),
                };
                let is_wanted = match wanted {
                    ["at", "most", most] => found <= most.parse().unwrap_or(0),
                    _ => wanted[0].parse() == Ok(found),
                };
                if !is_wanted {
                    return Err(format!("came: {found}"));
                }
            }
            ["saw", "any"] => self.spoken_of = self.nextcloud.seen().len(),
            ["saw", "all"] => {
                let seen = self.nextcloud.seen().split_off(self.spoken_of);
                self.spoken_of += seen.len();
                for seen in seen {
                    if !self.has_fields(line, |name| field_of(&seen, name)) {
                        return Err(format!("came: {seen:?}"));
                    }
                }
            }
            ["saw", ref wanted @ ..] => return self.saw(line, wanted),
            _ => return Err("the server can do no such thing".to_owned()),
        }
        Ok(())
    }

    /// `saw 2`, `saw GET /path`, `saw 2 GET /path`: the next are so many, and such; `saw 0`: there are no more.
    fn saw(&mut self, line: &Line, wanted: &[&str]) -> Outcome {
        let seen = self.nextcloud.seen();
        let new = &seen[self.spoken_of..];
        let came = || format!("came: {new:#?}");
        let count = wanted.first().and_then(|word| word.parse().ok());
        let wanted = if count.is_some() { &wanted[1..] } else { wanted };
        let count = count.unwrap_or(1);
        let is_all = wanted.is_empty();
        if new.len() < count || (count == 0 && !new.is_empty()) {
            return Err(came());
        }
        self.spoken_of += count;
        match new[..count].iter().all(|seen| is_all || self.is_as(line, wanted, seen)) {
            true => Ok(()),
            false => Err(came()),
        }
    }

    fn is_as(&mut self, line: &Line, wanted: &[&str], seen: &Seen) -> bool {
        let [method, target, body @ ..] = wanted else {
            return false;
        };
        let found = String::from_utf8_lossy(&seen.body);
        let body = body.join(" ");
        let has_body = match body.chars().next() {
            None => true,
            Some('=') => matches_text(&body[2..], &found, &mut self.names),
            Some(_) => match (json(&body), serde_json::from_str(&found)) {
                (Ok(wanted), Ok(found)) => matches(&wanted, &found, &mut self.names),
                _ => false,
            },
        };
        seen.method.as_str() == *method
            && matches_text(target, &seen.target, &mut self.names)
            && has_body
            && self.has_fields(line, |name| field_of(seen, name))
    }
}

fn field_of(seen: &Seen, name: &str) -> Option<String> {
    Some(seen.headers.get(name)?.to_str().ok()?.to_owned())
}

fn fault_named(name: &str) -> Result<Fault, String> {
    let page = name.strip_prefix("page-").and_then(|it| it.parse().ok());
    Ok(match name {
        "close" => Fault::Close,
        "reset" => Fault::Reset,
        "short-body" => Fault::ShortBody,
        "garbage" => Fault::GarbageStatusLine,
        "redirect" => Fault::Redirect,
        "slow-headers" => Fault::SlowHeaders,
        _ => Fault::Page(page.ok_or_else(|| format!("there is no fault {name}"))?),
    })
}
