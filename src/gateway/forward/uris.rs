//! Other paths in a request's fields: `Destination`, and the tagged lists of `If` (RFC 4918, section 10).
//!
//! They are read like the path of the request itself, and sent as absolute URIs of the server that are built from the
//! segments.

use http::Uri;

use super::path::Path;

/// The server to which requests are forwarded.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// `https://cloud.example.org`.
    origin: String,
    web_root: Path,
}

impl Server {
    /// A server at `origin` and below `web_root`, which is empty or begins with a slash.
    pub(crate) fn new(origin: &str, web_root: &str) -> Result<Self, &'static str> {
        let web_root = Path::parse(&format!("{}/", web_root.trim_end_matches('/')))?;
        Ok(Self { origin: origin.to_owned(), web_root })
    }

    /// The segments of a path below the web root.
    pub(super) fn below<'p>(&self, path: &'p Path) -> Option<&'p [String]> {
        path.segments.strip_prefix(&*self.web_root.segments)
    }

    /// The path of the root of WebDAV.
    pub(super) fn dav_root(&self) -> String {
        format!("{}remote.php/dav/", self.web_root.encode())
    }

    /// The path and the query that a URI, or a path, names on this server.
    pub(super) fn locate(
        &self,
        text: &str,
        caller_host: Option<&str>,
    ) -> Result<(Path, Option<String>), &'static str> {
        let uri: Uri = text.parse().map_err(|_| "it is neither a path nor a URI")?;
        let known = [Some(&*self.origin), caller_host].into_iter().flatten();
        let mut known = known.filter_map(|known| host(&known.parse().ok()?));
        if uri.authority().is_some() && !known.any(|known| Some(known) == host(&uri)) {
            return Err("its host is neither this gateway's nor the server's");
        }
        if text.contains('#') {
            return Err("it has a fragment");
        }
        Ok((Path::parse(uri.path())?, uri.query().map(str::to_owned)))
    }

    /// The path that a URI or a path without a query names.
    pub(super) fn path(&self, text: &str, host: Option<&str>) -> Result<Path, &'static str> {
        match self.locate(text, host)? {
            (path, None) => Ok(path),
            _ => Err("it has a query"),
        }
    }

    pub(super) fn uri(&self, path: &Path) -> String {
        format!("{}{}", self.origin, path.encode())
    }
}

/// The host of a URI of HTTP in lower case, with its port unless that is a default one. None if it has user information.
fn host(uri: &Uri) -> Option<String> {
    let host = uri.authority()?.as_str().to_ascii_lowercase();
    let is_http = matches!(uri.scheme_str(), None | Some("http" | "https"));
    let name = host.strip_suffix(":443").or_else(|| host.strip_suffix(":80")).unwrap_or(&host);
    (is_http && !host.contains('@')).then(|| name.to_owned())
}

/// Rewrites the tags of an `If` field by `rewrite`. None if a list is in a form that the server would read differently.
pub(super) fn rewrite_if<E>(
    value: &str,
    mut rewrite: impl FnMut(&str) -> Result<String, E>,
) -> Result<Option<String>, E> {
    let mut written = Vec::new();
    let mut rest = value.trim_ascii();
    let mut follows_tag = true;
    while !rest.is_empty() {
        let is_tag = rest.starts_with('<') && (written.is_empty() || !follows_tag);
        let split = rest.split_once(if is_tag { '>' } else { ')' });
        let Some((part, after)) = split.filter(|(part, _)| is_tag || is_list(part)) else {
            return Ok(None);
        };
        written.push(if is_tag {
            format!("<{}>", rewrite(&part[1..])?)
        } else {
            format!("{part})")
        });
        (rest, follows_tag) = (after.trim_ascii_start(), is_tag);
    }
    Ok((!follows_tag).then(|| written.join(" ")))
}

/// Whether a list without its last parenthesis has what the server reads: a state token, an entity tag, or both.
fn is_list(list: &str) -> bool {
    let list = list.strip_prefix("(Not ").or_else(|| list.strip_prefix('(')).unwrap_or_default();
    let is_mark = |character: &char| "<>[]() ".contains(*character);
    let marks: String = list.chars().filter(is_mark).collect();
    list.starts_with(['<', '['])
        && list.ends_with(['>', ']'])
        && matches!(&*marks, "<>" | "[]" | "<>[]" | "<> []")
}
