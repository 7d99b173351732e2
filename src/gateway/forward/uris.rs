//! Other paths in a request's fields: `Destination`, and the tagged lists of `If` (RFC 4918, section 10).
//!
//! They are read like the path of the request itself, and sent as URIs of the server that are built from the segments.

use http::Uri;

use super::decide::Refused;
use super::path::Path;

/// The server to which requests are forwarded.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// `https://cloud.example.org`.
    pub(super) origin: String,
    pub(super) web_root: Path,
    /// How callers name it, and the gateway, where a proxy in between changes `Host`.
    names: Vec<String>,
}

impl Server {
    /// A server at `origin` and below `web_root`, which is empty or begins with a slash.
    pub(crate) fn new(origin: &str, web_root: &str) -> Result<Self, &'static str> {
        let web_root = Path::parse(&format!("{}/", web_root.trim_end_matches('/')))?;
        Ok(Self { origin: origin.to_owned(), web_root, names: Vec::new() })
    }

    /// The same, for callers who know it, or the gateway, by these origins.
    pub(crate) fn behind(self, origins: impl IntoIterator<Item = String>) -> Self {
        Self { names: origins.into_iter().collect(), ..self }
    }

    /// The segments of a path below the web root.
    pub(super) fn below<'p>(&self, path: &'p Path) -> Option<&'p str> {
        match &*self.web_root.segments {
            "" => Some(&path.segments),
            root => path.segments.strip_prefix(root)?.strip_prefix('/'),
        }
    }

    /// The path that a URI, or a path, names on this server.
    pub(super) fn locate(&self, text: &str, caller: Option<&str>) -> Result<Path, &'static str> {
        let uri: Uri = text.parse().map_err(|_| "it is neither a path nor a URI")?;
        let mut known = self.names.iter().chain([&self.origin]).map(|it| &**it).chain(caller);
        let is_named = |known: &str| known.parse().ok().and_then(|it| host(&it)) == host(&uri);
        if uri.authority().is_some() && !(host(&uri).is_some() && known.any(is_named)) {
            return Err("its host is neither this gateway's nor the server's");
        }
        // `http::Uri` drops it silently.
        if text.contains('#') {
            return Err("it has a fragment");
        }
        Path::parse(uri.path_and_query().map_or("", |it| it.as_str()))
    }

    /// The same without a query, which the server would read as a part of the path.
    pub(super) fn resource(&self, text: &str, host: Option<&str>) -> Result<Path, &'static str> {
        let path = self.locate(text, host)?;
        if path.query.is_some() { Err("it has a query") } else { Ok(path) }
    }
}

/// The host of a URI of HTTP in lower case, with its port unless that is a default one.
fn host(uri: &Uri) -> Option<String> {
    let host = uri.authority()?.as_str().to_ascii_lowercase();
    let is_http = matches!(uri.scheme_str(), None | Some("http" | "https"));
    let name = host.strip_suffix(":443").or_else(|| host.strip_suffix(":80")).unwrap_or(&host);
    is_http.then(|| name.to_owned())
}

/// Rewrites the tags of an `If` field. Its lists stay as they are, if the server reads them as they were meant.
pub(super) fn rewrite_if(
    value: &str,
    mut rewrite: impl FnMut(&str) -> Result<String, Refused>,
) -> Result<String, Refused> {
    let unread = Refused::Malformed("if", "its lists cannot be read");
    let mut written = Vec::new();
    let mut rest = value.trim_ascii();
    let mut follows_tag = true;
    while !rest.is_empty() {
        let is_tag = rest.starts_with('<') && (written.is_empty() || !follows_tag);
        let split = rest.split_once(if is_tag { '>' } else { ')' });
        let (part, after) = split.ok_or(unread.clone())?;
        written.push(match part.strip_prefix('<') {
            Some(uri) if is_tag => format!("<{}>", rewrite(uri)?),
            _ if is_list(part) => format!("{part})"),
            _ => return Err(unread),
        });
        (rest, follows_tag) = (after.trim_ascii_start(), is_tag);
    }
    if follows_tag { Err(unread) } else { Ok(written.join(" ")) }
}

/// Whether a list without its last parenthesis has what the server reads: a state token, an entity tag, or both.
fn is_list(list: &str) -> bool {
    let list = list.strip_prefix("(Not ").or_else(|| list.strip_prefix('(')).unwrap_or_default();
    let is_mark = |character: &char| "<>[]() ".contains(*character);
    let marks: String = list.chars().filter(is_mark).collect();
    let is_in_order = match &*marks {
        "<>" | "[]" => true,
        "<>[]" => list.contains(">["),
        "<> []" => list.contains("> ["),
        _ => false,
    };
    is_in_order && list.starts_with(['<', '[']) && list.ends_with(['>', ']'])
}
