//! The identity provider of a transcript: `issuer …` and `jwt …`.

use serde_json::Value;

use super::Shell;
use crate::support::issuer::{Answer, Key, StandIn, in_seconds, with};

impl Shell<'_> {
    /// `issuer starts`, `publishes`, `breaks`, `saw 2`, `answers PATH {…}`, `introspects TOKEN {…}`; and `jwt NAME {…}`:
    /// a token with these claims besides the usual ones, by another key if the name ends in `-forged`. A number of
    /// `exp` counts from now on.
    pub(super) async fn issuer(
        &mut self,
        word: &str,
        name: &str,
        value: &str,
    ) -> Result<(), String> {
        if self.issuer.is_none() {
            let issuer = StandIn::start().await;
            let url = issuer.url.clone();
            self.talk.names.insert("issuer".to_owned(), url);
            self.issuer = Some((issuer, Key::ed25519()));
        }
        let (issuer, key) = self.issuer.as_ref().unwrap();
        let claims = |text: &str| {
            let claims = serde_json::from_str(text);
            let mut claims: Value = claims.map_err(|error| error.to_string())?;
            if let Some(seconds) = claims["exp"].as_i64() {
                claims["exp"] = in_seconds(seconds).into();
            }
            Ok::<_, String>(claims)
        };
        match (word, name) {
            ("jwt", name) => {
                let (name, forged) = match name.strip_suffix("-forged") {
                    Some(_) => (name, Some(Key::ed25519())),
                    None => (name, None),
                };
                let claims = with(issuer.claims(), claims(value)?);
                let token = forged.as_ref().unwrap_or(key).token("EdDSA", "k", &claims);
                self.talk.names.insert(format!("token {name}"), token);
            }
            (_, "starts") => {}
            (_, "publishes") => drop(issuer.publish(&[key.jwk("k")])),
            (_, "saw") => {
                let count = issuer.requests().len();
                if value.parse() != Ok(count) {
                    return Err(format!("came: {count}"));
                }
            }
            (_, "answers") => {
                let (path, answer) = value.split_once(' ').ok_or("no answer")?;
                let answer = match answer.parse() {
                    Ok(status) => Answer::text(status, ""),
                    Err(_) => Answer::json(&claims(answer)?),
                };
                issuer.set(path, answer);
            }
            (_, "breaks") => issuer.break_down(),
            (_, "introspects") => {
                let (token, answer) = value.split_once(' ').ok_or("no answer")?;
                let answer = Answer::json(&claims(answer)?);
                issuer.set_for("/introspect", &format!("token={token}&"), answer);
                let name = format!("token {token}");
                self.talk.names.insert(name, token.to_owned());
            }
            _ => return Err("the issuer can do no such thing".to_owned()),
        }
        Ok(())
    }
}
