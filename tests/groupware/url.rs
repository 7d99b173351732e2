//! Which URLs are called, and in which form: `outbound::HttpUrl`.

use portreeve::outbound::HttpUrlError::{
    Characters, Fragment, Host, Malformed, Path, Port, Query, Scheme, UserInfo,
};
use portreeve::outbound::{HttpUrl, HttpUrlError, PlainHttp};

fn base(text: &str) -> HttpUrl {
    HttpUrl::base(text, PlainHttp::Anywhere).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Those in a row are the same, in the form of the last one.
#[test]
fn each_url_has_one_form() {
    for same in [
        "HTTPS://Cloud.Example.ORG.:443/ https://cloud.example.org:0443// https://cloud.example.org",
        "https://cloud.example.org/a/b// https://cloud.example.org/a/b",
        "https://cloud.example.org:08443 https://cloud.example.org:8443",
        "http://cloud.example.org:443",
        "https://cloud.example.org:80",
        "https://a_b.example-1.org",
        "https://h.example:8443/a%22b",
        "http://LOCALHOST./ http://localhost",
        "http://A.b.LocalHost. http://a.b.localhost",
        "http://[0:0::1]:80/x http://[::1]/x",
        "http://[2001:DB8::0001] http://[2001:db8::1]",
        "http://0 http://[::ffff:0.0.0.0] http://0.0.0.0",
        "http://[::ffff:127.0.0.1] http://[::FFFF:7F00:1] http://127.0.0.1.",
        "http://127.1 http://0x7f.1 http://0X7F000001 http://0177.0.0.01 http://2130706433 http://127.0.0.1",
        "http://192.0.513 http://[::ffff:192.0.2.1] http://192.0.2.1",
        "http://4294967295 http://255.255.255.255",
    ] {
        let one = same.rsplit(' ').next().unwrap();
        for text in same.split(' ') {
            let one = one.trim_end_matches('.');
            assert_eq!(base(text).to_string(), one, "{text}");
            assert_eq!(base(text), base(one), "{text}");
        }
    }
    let endpoint = HttpUrl::endpoint("https://ID.example/a//b/?c=/../d", PlainHttp::Loopback);
    assert_eq!(endpoint.unwrap().to_string(), "https://id.example/a//b/");
}

#[test]
fn a_url_that_others_may_read_differently_is_refused_without_quoting_it() {
    let refused: &[(HttpUrlError, &[&str])] = &[
        (Malformed, &["", "cloud.example.org", "//cloud.example.org", "/cloud", "https://"]),
        (
            Characters,
            &[
                "https://cloud example.org",
                "https://good\\@secret.example",
                "https://h.example/a\"b",
                "https://h.example/a{b",
                "https://h.example/\u{e9}",
                "https://h.example/%2",
                " https://h.example",
            ],
        ),
        (Scheme, &["ftp://cloud.example.org"]),
        (UserInfo, &["https://me:secret@cloud.example.org", "https://@cloud.example.org"]),
        (
            Host,
            &[
                "https://a..b",
                "https://1.2.3.4.5",
                "https://256.1.1.1",
                "http://4294967296",
                "http://127.0.0.08",
                "http://0x",
                "http://127.0x",
                "http://127.+0.0.1",
                "http://a~b",
                "http://localhost..",
                "http://.",
                "http://[127.0.0.1]",
            ],
        ),
        (Port, &["https://h.example:", "https://h.example:0", "https://h.example:65536"]),
        (Path, &["https://h.example/a/../b", "https://h.example/a//b", "https://h.example/."]),
        (Query, &["https://h.example?x=1", "https://h.example?"]),
        (Fragment, &["https://h.example/#x"]),
    ];
    for (error, texts) in refused {
        for text in *texts {
            assert_eq!(text.parse::<HttpUrl>().unwrap_err(), *error, "{text}");
        }
        assert!(!error.to_string().contains("secret"));
    }
    for text in ["https://cloud%2eexample.org", "http://local%68ost", "http://[::1%25lo]"] {
        assert!(text.parse::<HttpUrl>().is_err(), "{text}");
    }
}

#[test]
fn plain_http_to_another_machine_is_refused() {
    for here in [
        "localhost:8080",
        "x.localhost",
        "127.255.255.254",
        "[::1]",
        "0.0.0.0",
        "[::]",
        "127.1",
        "[::ffff:127.0.0.1]",
    ] {
        let url: HttpUrl = format!("http://{here}").parse().unwrap();
        assert!(url.is_loopback() && !url.is_https());
    }
    for elsewhere in [
        "cloud.example.org",
        "localhost.example.org",
        "xlocalhost",
        "127.0.0.1.example.org",
        "128.0.0.1",
    ] {
        let url = format!("http://{elsewhere}");
        assert_eq!(url.parse::<HttpUrl>(), Err(HttpUrlError::PlainHttp), "{url}");
        assert!(!base(&url).is_loopback());
        assert!(base(&format!("https://{elsewhere}")).is_https());
    }
}

#[test]
fn one_server_has_several_addresses() {
    for (one, other, expected) in [
        ("http://localhost:8180", "http://x.localhost:8180", true),
        ("http://x.localhost:8180", "http://[::]:8180", true),
        ("http://127.0.0.1:8180", "http://0x7f.1:8180/introspect", true),
        ("http://127.0.0.1:8180", "http://127.9.9.9:8180", true),
        ("http://[::1]:8180", "http://[::ffff:127.0.0.1]:8180/", true),
        ("https://cloud.example", "http://cloud.example", true),
        ("https://cloud.example", "http://cloud.example:443", true),
        ("https://cloud.example:80", "https://Cloud.Example./x", true),
        ("http://localhost", "https://127.1", true),
        ("https://cloud.example:8443", "http://cloud.example:8443", true),
        ("http://localhost:8180", "http://localhost:8181", false),
        ("http://localhost:80", "http://localhost:8080", false),
        ("https://cloud.example", "https://cloud.example:8443", false),
        ("https://cloud.example", "https://cloud.example.evil", false),
        ("https://cloud.example", "https://id.cloud.example", false),
        ("http://192.0.2.1", "http://192.0.2.2", false),
    ] {
        let (one, other) = (base(one), base(other));
        assert_eq!(one.is_same_server(&other), expected, "{one} {other}");
        assert_eq!(other.is_same_server(&one), expected, "{other} {one}");
    }
}
