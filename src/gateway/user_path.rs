//! The paths below `/api/v1/users/`, which the front end calls (docs/API.md, section 10).

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use super::Error;

/// A path of the form `/api/v1/users/{id}/{resource}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UserPath<'a> {
    id: &'a str,
    resource: &'a str,
}

// === impl UserPath ===

impl<'a> UserPath<'a> {
    /// `None` for a path of another form.
    pub(super) fn parse(path: &'a str) -> Option<Self> {
        let (id, resource) = path.strip_prefix("/api/v1/users/")?.split_once('/')?;
        let is_segment = |text: &str| !text.is_empty() && !text.contains('/');
        (is_segment(id) && is_segment(resource)).then_some(Self { id, resource })
    }

    /// What is asked for of the user.
    pub(super) fn resource(&self) -> &'a str {
        self.resource
    }

    /// The user.
    pub(super) fn user_id(&self) -> Result<Box<str>, Error> {
        decode_form(self.id)
    }
}

/// Whether `path` is the one at which HTTP Basic is accepted (docs/API.md, section 10.4).
pub(super) fn is_of_app_password(path: &str) -> bool {
    UserPath::parse(path).is_some_and(|path| path.resource == "app-password")
}

/// A user id as PHP writes it into a path: `urlencode` makes `+` of a blank, `rawurlencode` makes
/// `%20` of it, and both make `%2B` of a plus.
pub(super) fn decode_form(segment: &str) -> Result<Box<str>, Error> {
    let segment = match segment.contains('+') {
        true => Cow::Owned(segment.replace('+', " ")),
        false => Cow::Borrowed(segment),
    };
    let text = percent_decode_str(&segment).decode_utf8();
    text.map(Into::into).map_err(|_| Error::InvalidUserId)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn api_10_an_id_is_decoded_as_either_function_of_php_writes_it() {
        for (segment, id) in [
            ("alice", "alice"),
            ("Ana+Maria", "Ana Maria"),
            ("Ana%20Maria", "Ana Maria"),
            ("a%2Bb", "a+b"),
            ("a%252Bb", "a%2Bb"),
            ("j%C3%B6rg%40example.org", "j\u{f6}rg@example.org"),
            ("a%2Fb", "a/b"),
        ] {
            let path = format!("/api/v1/users/{segment}/session");
            let path = UserPath::parse(&path).unwrap();
            assert_eq!(&*path.user_id().unwrap(), id);
            assert_eq!(path.resource(), "session");
        }
        let path = UserPath::parse("/api/v1/users/%ff/session").unwrap();
        assert!(matches!(path.user_id(), Err(Error::InvalidUserId)));
    }

    #[test]
    fn api_10_other_paths_are_not_of_this_form() {
        for path in [
            "/api/v1/users",
            "/api/v1/users/",
            "/api/v1/users/alice",
            "/api/v1/users/alice/",
            "/api/v1/users//session",
            "/api/v1/users/alice/session/",
            "/api/v1/users/alice/app-password/x",
            "/api/v2/users/alice/app-password",
            "/API/v1/users/alice/app-password",
            "api/v1/users/alice/app-password",
        ] {
            assert_eq!(UserPath::parse(path), None, "{path}");
            assert!(!is_of_app_password(path), "{path}");
        }
        assert!(is_of_app_password("/api/v1/users/alice/app-password"));
        assert!(!is_of_app_password("/api/v1/users/alice/app%2Dpassword"));
    }
}
