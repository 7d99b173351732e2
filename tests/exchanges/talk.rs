//! Requests and what is wanted of their answers: rows of exchanges and of transcripts.

mod server;

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use percent_encoding::percent_decode_str;
use tokio::task::JoinHandle;

use crate::pattern::{Names, fill, json, matches, matches_text};
use crate::script::{Line, Test};
use crate::support::gateway::{Answer, PASSWORD, exchange};
use crate::support::nextcloud::{Nextcloud, Recording, basic};

/// How long what must happen may take.
pub(crate) const LONGEST: Duration = Duration::from_secs(60);

/// A caller without a token.
const NOBODY: &str = "-";

/// What a line found, if it is not as wanted.
pub(crate) type Outcome = Result<(), String>;

pub(crate) struct Talk<'a> {
    pub(crate) nextcloud: Nextcloud,
    /// The gateway's.
    pub(crate) address: Option<SocketAddr>,
    /// With a `token NAME` for each caller.
    pub(crate) names: Names,
    /// The requests that wait for the line that says what is wanted.
    asked: Vec<&'a Line>,
    /// The requests that were sent, and wait for it.
    begun: Vec<JoinHandle<Answer>>,
    /// How many of the server's requests were spoken of.
    spoken_of: usize,
}

// === impl Talk ===

impl<'a> Talk<'a> {
    pub(crate) fn new(nextcloud: Nextcloud, address: Option<SocketAddr>, names: Names) -> Self {
        Self { nextcloud, address, names, asked: Vec::new(), begun: Vec::new(), spoken_of: 0 }
    }

    /// Whether requests wait for the line that says what is wanted.
    pub(crate) fn has_asked(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Does what a line says; `false` if it is about something else.
    pub(crate) async fn line(&mut self, line: &'a Line) -> Result<bool, String> {
        let text = fill(&line.text, &self.names);
        let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
        match word {
            ">" => self.asked.push(line),
            ">>" => self.begin(line).await?,
            "<" => self.answered(line).await?,
            "until" => self.until(line).await?,
            "<<" => {
                for answer in std::mem::take(&mut self.begun) {
                    let answer = answer.await.map_err(|error| error.to_string())?;
                    self.expect(line, &answer)?;
                }
            }
            "leave" => {
                for answer in std::mem::take(&mut self.begun) {
                    answer.abort();
                    let _ = answer.await;
                }
            }
            "server" => self.server(line, rest).await?,
            "let" => {
                let (name, value) = rest.split_once(' ').unwrap_or((rest, ""));
                self.names.insert(name.to_owned(), value.to_owned());
            }
            "wait" => tokio::time::sleep(time(rest)?).await,
            _ => return Ok(false),
        }
        Ok(true)
    }

    async fn answered(&mut self, line: &Line) -> Outcome {
        let asked = std::mem::take(&mut self.asked);
        if asked.is_empty() {
            return Err("answers no request".to_owned());
        }
        // `200 * 2, 428|429 * 10`: sent at once.
        let counts = line.text[2..].split(", ").map(|it| it.split_once(" * "));
        if let Some(counts) = counts.collect::<Option<Vec<_>>>() {
            return self.all_at_once(&asked, &counts).await;
        }
        for asked in asked {
            for caller in asked.callers() {
                let answer = self.request(asked, &caller)?.await;
                self.expect(line, &answer).map_err(|what| {
                    format!("of line {}: {:.200}\n{what}", asked.number, asked.text)
                })?;
            }
        }
        Ok(())
    }

    /// Repeats a request until it is answered as wanted.
    async fn until(&mut self, line: &Line) -> Outcome {
        let asked = self.asked.pop().ok_or("answers no request")?;
        let began = Instant::now();
        loop {
            let answer = self.request(asked, &asked.callers()[0])?.await;
            let wanted = format!("{} ", answer.status);
            let row = format!("{} ", &line.text["until ".len()..]);
            if row.starts_with(&wanted) || began.elapsed() > LONGEST {
                return self.expect(line, &answer);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    async fn all_at_once(&self, asked: &[&Line], counts: &[(&str, &str)]) -> Outcome {
        let requests = asked.iter().flat_map(|line| {
            let callers = line.callers().into_iter();
            callers.map(|caller| self.request(line, &caller))
        });
        let requests: Vec<_> = requests.collect::<Result<_, _>>()?;
        let answers = futures_util::future::join_all(requests).await;
        let mut left = answers.len();
        for (status, count) in counts {
            let statuses: Vec<_> = status.split('|').map(str::parse).collect();
            let is_it = |answer: &&Answer| statuses.contains(&Ok(answer.status));
            let found = answers.iter().filter(is_it).count();
            left -= found;
            if count.parse() != Ok(found) {
                return Err(format!("came: {answers:?}"));
            }
        }
        match left {
            0 => Ok(()),
            _ => Err(format!("came: {answers:?}")),
        }
    }

    /// Sends a request, and waits until the server has got one of it.
    async fn begin(&mut self, line: &Line) -> Outcome {
        let seen = self.nextcloud.seen().len();
        for (at, caller) in line.callers().iter().enumerate() {
            let request = self.request(line, caller)?;
            self.begun.push(tokio::spawn(request));
            self.nextcloud.until_seen(seen + at + 1).await;
        }
        Ok(())
    }

    fn request(
        &self,
        line: &Line,
        caller: &str,
    ) -> Result<impl Future<Output = Answer> + use<>, String> {
        let mut names = self.names.clone();
        let user = caller.trim_start_matches(NOBODY).to_owned();
        if let Some(password) = names.get(&user) {
            let password = password.clone();
            names.entry("own".to_owned()).or_insert(password);
        }
        names.insert("user".to_owned(), user);
        let row = fill(line.request(), &names);
        let words: Vec<_> = row.splitn(4, ' ').collect();
        let [_, method, path, body @ ..] = &words[..] else {
            return Err("no user, method and path".to_owned());
        };
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !caller.starts_with(NOBODY) {
            let token = self.names.get(&format!("token {caller}"));
            let token = token.ok_or_else(|| format!("{caller} has no token"))?;
            head += &format!("Authorization: Bearer {token}\r\n");
        }
        for (name, value) in &line.fields {
            let value = value.as_deref().unwrap_or_default();
            head += &format!("{name}: {}\r\n", with_login(&fill(value, &names)));
        }
        let body = body.first().copied().unwrap_or_default().to_owned();
        let address = self.address.ok_or("nothing serves")?;
        Ok(async move { exchange(address, &head, &body).await })
    }

    fn expect(&mut self, line: &Line, answer: &Answer) -> Outcome {
        let came = || format!("came: {answer:?}");
        let row = fill(&line.text, &self.names);
        // After `<`, `<<` or `until`.
        let (_, row) = row.split_once(' ').unwrap_or_default();
        let (status, wanted) = row.split_once(' ').unwrap_or((row, ""));
        if status.parse() != Ok(answer.status) {
            return Err(came());
        }
        for secret in [PASSWORD, self.nextcloud.url()] {
            if answer.body.contains(secret) && !line.text.contains("<password>") {
                return Err(format!("shows {secret}; {}", came()));
            }
        }
        let is_wanted = match wanted.chars().next() {
            None => true,
            Some('=') => matches_text(&recorded(&wanted[2..]), &answer.body, &mut self.names),
            Some('{' | '[') => {
                let wanted = json(wanted)?;
                matches(&wanted, &answer.json(), &mut self.names)
            }
            Some(_) => {
                let (error, message) = wanted.split_once(": ").unwrap_or((wanted, "…"));
                let found = answer.assert_error(answer.status, error);
                matches_text(message, &found, &mut self.names)
            }
        };
        let found = |name: &str| answer.header(name).map(str::to_owned);
        if is_wanted && self.has_fields(line, found) {
            return Ok(());
        }
        Err(came())
    }

    /// Whether the header fields are as below `line`.
    fn has_fields(&mut self, line: &Line, found: impl Fn(&str) -> Option<String>) -> bool {
        line.fields.iter().all(|(name, wanted)| match (wanted, found(name)) {
            (Some(wanted), Some(found)) => {
                matches_text(&with_login(&fill(wanted, &self.names)), &found, &mut self.names)
            }
            (None, None) => true,
            _ => false,
        })
    }

    /// Who speaks of the server's requests speaks of all of them.
    pub(crate) fn finish(&self, test: &Test) -> Outcome {
        if self.has_asked() || !self.begun.is_empty() {
            return Err("a request without a line that says what is wanted".to_owned());
        }
        let speaks = test.lines.iter().any(|line| line.text.starts_with("server saw"));
        let seen = self.nextcloud.seen();
        if speaks && seen.len() > self.spoken_of {
            return Err(format!("the server saw more: {:?}", &seen[self.spoken_of..]));
        }
        Ok(())
    }
}

/// A name with `%20` for a space, as in a URL.
pub(crate) fn decoded(word: &str) -> String {
    percent_decode_str(word).decode_utf8_lossy().into_owned()
}

/// A text with the `data` of a recorded answer in place of `<data of NAME>`.
fn recorded(text: &str) -> String {
    let Some((before, rest)) = text.split_once("<data of ") else {
        return text.to_owned();
    };
    let (name, after) = rest.split_once('>').expect("the name of a recording");
    let body = Recording::load(name).response.body.unwrap();
    let (_, data) = body.split_once("\"data\":").unwrap();
    format!("{before}{}{after}", data.strip_suffix("}}").unwrap())
}

/// A value of `Authorization`, with `basic LOGIN PASSWORD` encoded.
fn with_login(value: &str) -> String {
    let words: Vec<_> = value.split(' ').collect();
    match words[..] {
        ["basic", login_name, password] => basic(&decoded(login_name), &decoded(password)),
        _ => value.to_owned(),
    }
}

pub(crate) fn time(text: &str) -> Result<Duration, String> {
    humantime::parse_duration(text).map_err(|error| error.to_string())
}
