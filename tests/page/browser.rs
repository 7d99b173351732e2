//! A real browser: Debian's Chromium, driven over the WebDriver protocol (<https://www.w3.org/TR/webdriver2/>).
//!
//! Where it is missing, the tests say so and pass, unless `PORTREEVE_BROWSER_TESTS=1` makes them mandatory (Debian's
//! packages `chromium` and `chromium-driver`).

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::support::binary::{LONGEST, wait};
use crate::support::postgres::free_port;

/// The name under which WebDriver has the id of an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// A window of its own, with an empty profile, which reaches nothing but this machine.
pub(crate) struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
    _profile: tempfile::TempDir,
}

/// Says that this test needs what is missing.
pub(crate) fn leave_out(missing: &str) {
    let mandatory = std::env::var_os("PORTREEVE_BROWSER_TESTS").is_some_and(|on| on == "1");
    assert!(!mandatory, "PORTREEVE_BROWSER_TESTS=1 needs `{missing}`");
    // Bypasses the capture of the test harness, so that it is seen.
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let line = format!("\nleft out: {test}: it needs `{missing}`\n");
    std::io::stderr().write_all(line.as_bytes()).unwrap();
}

impl Browser {
    /// `None` if it is missing and need not be there.
    pub(crate) fn start() -> Option<Self> {
        let is_here = ["chromedriver", "chromium"]
            .iter()
            .all(|it| Command::new(it).arg("--version").output().is_ok());
        if !is_here {
            leave_out("chromium and chromium-driver");
            return None;
        }
        let profile = tempfile::tempdir().unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], free_port()));
        let driver = Command::new("chromedriver")
            .arg(format!("--port={}", address.port()))
            .env("HOME", profile.path())
            .env("TZ", "UTC")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut browser = Self { driver, address, session: String::new(), _profile: profile };
        wait("the driver listens", || TcpStream::connect(address).is_ok());
        let profile = browser._profile.path().join("profile");
        let arguments = [
            "--headless=new".to_owned(),
            // The tests of CI run as root, for whom there is no sandbox.
            "--no-sandbox".to_owned(),
            "--disable-dev-shm-usage".to_owned(),
            "--disable-gpu".to_owned(),
            "--hide-scrollbars".to_owned(),
            "--no-proxy-server".to_owned(),
            "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1".to_owned(),
            "--force-device-scale-factor=1".to_owned(),
            "--window-size=900,700".to_owned(),
            "--lang=en-GB".to_owned(),
            format!("--user-data-dir={}", profile.display()),
        ];
        let started = browser.post(
            "/session",
            &json!({"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "goog:chromeOptions": {"args": arguments},
                "goog:loggingPrefs": {"browser": "ALL"},
            }}}),
        );
        browser.session =
            started["sessionId"].as_str().unwrap_or_else(|| panic!("{started}")).to_owned();
        Some(browser)
    }

    pub(crate) fn open(&self, url: &str) {
        self.call("/url", &json!({"url": url}));
    }

    /// The address that is shown.
    pub(crate) fn address(&self) -> String {
        self.script("return location.href").as_str().unwrap().to_owned()
    }

    /// Runs the body of a function in the page.
    pub(crate) fn script(&self, body: &str) -> Value {
        self.call("/execute/sync", &json!({"script": body, "args": []}))
    }

    /// The same of a function whose promise is awaited.
    pub(crate) fn awaited(&self, body: &str) -> Value {
        let body = format!(
            "const done = arguments[arguments.length - 1]; (async () => {{ {body} }})().then(done, (error) => done(String(error)));"
        );
        self.call("/execute/async", &json!({"script": body, "args": []}))
    }

    /// What a reader sees.
    pub(crate) fn text(&self) -> String {
        self.script("return document.body.innerText").as_str().unwrap_or_default().to_owned()
    }

    /// Waits until the page shows this.
    #[track_caller]
    pub(crate) fn sees(&self, part: &str) {
        let mut seen = String::new();
        let begun = Instant::now();
        while begun.elapsed() < LONGEST {
            seen = self.text();
            if seen.contains(part) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{part:?} is not shown at {}: {seen}\n{:#?}", self.address(), self.log());
    }

    /// Clicks on the button, the link or the field of this name, as soon as there is one.
    #[track_caller]
    pub(crate) fn click(&self, name: &str) {
        self.act_on(name, "click", &json!({}));
    }

    /// Types into the field of this name.
    #[track_caller]
    pub(crate) fn type_into(&self, name: &str, text: &str) {
        self.act_on(name, "value", &json!({"text": text}));
    }

    /// Types into it in place of what is there.
    #[track_caller]
    pub(crate) fn retype(&self, name: &str, text: &str) {
        self.act_on(name, "clear", &json!({}));
        self.type_into(name, text);
    }

    /// Waits until what describes the field of this label says this, as a screen reader would.
    #[track_caller]
    pub(crate) fn is_told_at(&self, label: &str, part: &str) {
        let told = format!(
            "const label = [...document.querySelectorAll('label, legend')].filter((it) => it.textContent === {label:?}).pop(); \
             const field = label?.control ?? label?.parentElement; \
             const ids = field?.getAttribute('aria-describedby')?.split(' ') ?? []; \
             return ids.map((id) => document.getElementById(id).innerText).join(' ')"
        );
        wait(&format!("{label} is told {part:?}"), || {
            self.script(&told).as_str().is_some_and(|told| told.contains(part))
        });
    }

    /// Does something to what has this name, by its text, its label or its `aria-label`; in a dialog, if one is open.
    #[track_caller]
    fn act_on(&self, name: &str, action: &str, body: &Value) {
        let kinds = "self::button or self::a or self::summary";
        let label = format!("//label[normalize-space()='{name}']");
        let path = format!(
            "//*[({kinds}) and normalize-space()='{name}'] | //*[@aria-label='{name}'] | //*[@id={label}/@for] | {label}//input"
        );
        let begun = Instant::now();
        while begun.elapsed() < LONGEST {
            let found = self.call("/elements", &json!({"using": "xpath", "value": path}));
            // A dialog comes last.
            let ids = found.as_array().into_iter().flatten().rev();
            for id in ids.filter_map(|it| it[ELEMENT].as_str()) {
                // It may be gone since, or not be shown.
                let path = format!("/session/{}/element/{id}/{action}", self.session);
                if self.exchange("POST", &path, Some(body)).is_ok() {
                    return;
                }
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let (address, text) = (self.address(), self.text());
        panic!("nothing is called {name:?} at {address}: {text}\n{:#?}", self.log());
    }

    /// Presses a key, wherever the focus is.
    pub(crate) fn press(&self, key: char) {
        let id = self.call_get("/element/active")[ELEMENT].as_str().unwrap().to_owned();
        self.call(&format!("/element/{id}/value"), &json!({"text": key}));
    }

    pub(crate) fn reload(&self) {
        self.call("/refresh", &json!({}));
    }

    /// The tab that is shown.
    pub(crate) fn tab(&self) -> Value {
        self.call_get("/window")
    }

    /// Opens another tab, and shows it.
    pub(crate) fn open_tab(&self) -> Value {
        let tab = self.call("/window/new", &json!({"type": "tab"}))["handle"].clone();
        self.turn_to(&tab);
        tab
    }

    pub(crate) fn turn_to(&self, tab: &Value) {
        self.call("/window", &json!({"handle": tab}));
    }

    /// Turns to another window than the first one, does something there, and closes it.
    pub(crate) fn in_other_window(&self, act: impl FnOnce()) {
        let first = self.tab();
        let mut other = None;
        wait("another window opens", || {
            let handles = self.call_get("/window/handles");
            other = handles.as_array().unwrap().iter().find(|it| **it != first).cloned();
            other.is_some()
        });
        self.turn_to(&other.unwrap());
        act();
        self.request("DELETE", "/window", None);
        self.turn_to(&first);
    }

    /// Whether its user prefers `light` or `dark`.
    pub(crate) fn prefer(&self, scheme: &str) {
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        self.command("Emulation.setEmulatedMedia", &json!({"features": [feature]}));
    }

    /// The size of the window in pixels; without one that of the start.
    pub(crate) fn resize(&self, size: Option<(u32, u32)>) {
        match size {
            Some((width, height)) => self.command(
                "Emulation.setDeviceMetricsOverride",
                &json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}),
            ),
            None => self.command("Emulation.clearDeviceMetricsOverride", &json!({})),
        }
    }

    /// What WebDriver has no command for, in the browser's own protocol.
    fn command(&self, name: &str, parameters: &Value) {
        self.call("/goog/cdp/execute", &json!({"cmd": name, "params": parameters}));
    }

    /// A picture of what is shown, as PNG.
    pub(crate) fn picture(&self) -> Vec<u8> {
        let picture = self.call_get("/screenshot");
        BASE64_STANDARD.decode(picture.as_str().unwrap()).unwrap()
    }

    /// What the browser has written to its console since the last call.
    pub(crate) fn log(&self) -> Vec<String> {
        let lines = self.call("/se/log", &json!({"type": "browser"}));
        let lines = lines.as_array().into_iter().flatten();
        lines.map(|line| line["message"].as_str().unwrap_or_default().to_owned()).collect()
    }

    fn call(&self, path: &str, body: &Value) -> Value {
        self.post(&format!("/session/{}{path}", self.session), body)
    }

    fn call_get(&self, path: &str) -> Value {
        self.request("GET", path, None)
    }

    fn request(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        self.exchange(method, &format!("/session/{}{path}", self.session), body).unwrap()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.exchange("POST", path, Some(body)).unwrap()
    }

    fn exchange(&self, method: &str, path: &str, body: Option<&Value>) -> Result<Value, String> {
        let value = self.answer(method, path, body).unwrap();
        match value["error"].as_str() {
            None => Ok(value),
            Some(_) => Err(format!("{method} {path}: {value}")),
        }
    }

    fn answer(&self, method: &str, path: &str, body: Option<&Value>) -> std::io::Result<Value> {
        let body = body.map(Value::to_string).unwrap_or_default();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(LONGEST))?;
        stream.write_all((head + &body).as_bytes())?;
        // The driver does not close the connection.
        let mut answer = BufReader::new(stream);
        let (mut line, mut length) = (String::new(), 0);
        while line != "\r\n" {
            line.clear();
            if answer.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.to_ascii_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or_default();
            }
        }
        let mut body = vec![0; length];
        answer.read_exact(&mut body)?;
        let answer: Value = serde_json::from_slice(&body)?;
        Ok(answer["value"].clone())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The browser ends with its session alone, also if the test has failed.
        if !self.session.is_empty() {
            self.answer("DELETE", &format!("/session/{}", self.session), None).ok();
        }
        self.driver.kill().ok();
        self.driver.wait().ok();
    }
}
