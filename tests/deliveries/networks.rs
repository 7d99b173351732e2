//! Which addresses deliveries may go to, when a target is made and at each attempt.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::HeaderMap;
use ipnet::IpNet;
use portreeve::deliveries::{
    AttemptOutcome, Destination, DestinationError, Message, Networks, Permission, Sender,
};

use crate::support::certificates::{Authority, client};
use crate::target::Target;

/// Ranges that are not the public internet, each with addresses beside it that are.
const REFUSED: &[(&str, &[&str])] = &[
    ("0.0.0.0/8", &["1.0.0.0"]),
    ("10.0.0.0/8", &["9.255.255.255", "11.0.0.0"]),
    ("100.64.0.0/10", &["100.63.255.255", "100.128.0.0"]),
    ("127.0.0.0/8", &["126.255.255.255", "128.0.0.0"]),
    ("169.254.0.0/16", &["169.253.255.255", "169.255.0.0"]),
    ("172.16.0.0/12", &["172.15.255.255", "172.32.0.0"]),
    ("192.0.0.0/24", &["191.255.255.255", "192.0.1.0"]),
    ("192.0.2.0/24", &["192.0.1.255", "192.0.3.0"]),
    ("192.88.99.0/24", &["192.88.98.255", "192.88.100.0"]),
    ("192.168.0.0/16", &["192.167.255.255", "192.169.0.0"]),
    ("198.18.0.0/15", &["198.17.255.255", "198.20.0.0"]),
    ("198.51.100.0/24", &["198.51.99.255", "198.51.101.0"]),
    ("203.0.113.0/24", &["203.0.112.255", "203.0.114.0"]),
    ("224.0.0.0/4", &["223.255.255.255"]),
    ("240.0.0.0/4", &[]),
    ("255.255.255.255/32", &[]),
    // Azure's.
    ("168.63.129.16/32", &["168.63.129.15", "168.63.129.17"]),
    ("::/128", &[]),
    ("::1/128", &[]),
    // IPv4-compatible, and translated (SIIT).
    ("::7f00:0/104", &[]),
    ("::9.9.9.9/128", &[]),
    ("::ffff:0:7f00:1/128", &[]),
    ("::ffff:0:909:909/128", &[]),
    ("64:ff9b:1::/48", &[]),
    ("100::/64", &[]),
    // Teredo, and other assignments of protocols.
    ("2001::/32", &["2000:ffff::"]),
    ("2001::/23", &["2001:200::"]),
    ("2001:db8::/32", &["2001:db7::", "2001:db9::"]),
    // 6to4, whatever is inside.
    ("2002::/16", &["2003::"]),
    ("2002:7f00:1::1/128", &[]),
    ("2002:909:909::1/128", &[]),
    ("3fff::/20", &["3ffe::", "3fff:1000::"]),
    ("5f00::/16", &[]),
    ("fc00::/7", &[]),
    ("fe80::/10", &[]),
    ("fec0::/10", &[]),
    ("ff00::/8", &[]),
    ("169.254.0.23/32", &[]),
    ("169.254.42.42/32", &[]),
    ("fd00:42::42/128", &[]),
    ("fd00:c1::a9fe:a9fe/128", &[]),
    ("fe80::a9fe:a9fe/128", &[]),
    ("fd00:ec2::254/128", &[]),
];

/// How an IPv4 address is written within an IPv6 one that stands for it, and that is judged as it.
const STANDS_FOR_V4: [&str; 3] = ["::ffff:", "64:ff9b::", "2600::5efe:"];

fn judge(address: &str) -> Permission {
    Networks::default().permission(address.parse().unwrap())
}

#[test]
fn every_range_is_refused_from_its_first_to_its_last_address() {
    for &(range, beside) in REFUSED {
        let range: IpNet = range.parse().unwrap();
        let last = match range.hosts().last() {
            Some(_) if range.prefix_len() == range.max_prefix_len() => range.addr(),
            _ => range.broadcast(),
        };
        for address in [range.network(), last] {
            assert_eq!(Networks::default().permission(address), Permission::Refused, "{address}");
        }
        for address in beside {
            assert_eq!(judge(address), Permission::Public, "{address}");
        }
    }
}

#[test]
fn an_embedded_address_is_judged() {
    let refused = REFUSED.iter().filter_map(|&(range, _)| {
        let range: IpNet = range.parse().unwrap();
        match range.network() {
            IpAddr::V4(address) => Some(address),
            IpAddr::V6(_) => None,
        }
    });
    for address in refused.chain([Ipv4Addr::new(169, 254, 169, 254), Ipv4Addr::LOCALHOST]) {
        for prefix in STANDS_FOR_V4 {
            let embedded = format!("{prefix}{address}");
            assert_eq!(judge(&embedded), Permission::Refused, "{embedded}");
        }
        let isatap = format!("2600::200:5efe:{address}");
        assert_eq!(judge(&isatap), Permission::Refused, "{isatap}");
    }
    for prefix in STANDS_FOR_V4 {
        assert_eq!(judge(&format!("{prefix}9.9.9.9")), Permission::Public);
    }
    // In hexadecimal, as the bug reports have them.
    for address in ["::ffff:7f00:1", "64:ff9b::a9fe:a9fe"] {
        assert_eq!(judge(address), Permission::Refused, "{address}");
    }
    for address in ["1.1.1.1", "2606:4700:4700::1111"] {
        assert_eq!(judge(address), Permission::Public);
    }
}

#[test]
fn the_operators_networks_are_allowed_but_not_the_metadata_services_in_them() {
    let listed = ["100.64.0.0/10", "fc00::/7", "169.254.0.0/16", "127.0.0.1/32"];
    let networks = Networks::new(listed.map(|net| net.parse().unwrap()));
    let judge = |address: &str| networks.permission(address.parse().unwrap());
    for address in
        ["100.64.0.1", "fd12::1", "169.254.1.1", "127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"]
    {
        assert_eq!(judge(address), Permission::Listed, "{address}");
    }
    for address in [
        "100.100.100.200",
        "fd00:ec2::254",
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "::ffff:169.254.169.254",
        "168.63.129.16",
        "127.0.0.2",
        "10.0.0.1",
    ] {
        assert_eq!(judge(address), Permission::Refused, "{address}");
    }
    let itself = Networks::new(["169.254.169.254/32".parse().unwrap()]);
    let metadata = Ipv4Addr::new(169, 254, 169, 254).into();
    assert_eq!(itself.permission(metadata), Permission::Listed);
}

#[test]
fn a_destination_has_one_spelling() {
    for (given, kept) in [
        ("HTTPS://Hooks.Example.org.:443", "https://hooks.example.org/"),
        ("https://hooks.example.org/a?b=c%20d", "https://hooks.example.org/a?b=c%20d"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://017700000001:81/", "http://127.0.0.1:81/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://127.1/x", "http://127.0.0.1/x"),
        ("http://[::ffff:7f00:1]/", "http://127.0.0.1/"),
    ] {
        assert_eq!(destination(given).to_string(), kept);
    }
    for given in [
        "",
        "hooks.example.org",
        "/hook",
        "ftp://hooks.example.org/",
        "file:///etc/passwd",
        "https://me:secret@hooks.example.org/",
        "https://@hooks.example.org/",
        "https://hooks.example.org/#x",
        "https://hooks.example.org:0/",
        "https://hooks.example.org:70000/",
        "https://a..b/",
        "https://1.2.3.4.5/",
        "https://256.1.1.1/",
        "https://[fe80::1%25eth0]/",
        "https://hooks%2eexample.org/",
        "http://good:8080\\@evil.example/",
        "https://hooks.example.org/a b",
        &format!("https://hooks.example.org/{}", "x".repeat(2048)),
    ] {
        let fault = given.parse::<Destination>().unwrap_err();
        assert!(!fault.to_string().contains("secret"), "{fault}");
    }
}

fn destination(uri: &str) -> Destination {
    uri.parse().unwrap()
}

/// A sender for which every name has these addresses.
fn sender(listed: &[&str], addresses: &[&str]) -> Sender {
    let listed = listed.iter().map(|net| net.parse().unwrap());
    let addresses: Vec<IpAddr> = addresses.iter().map(|it| it.parse().unwrap()).collect();
    let tls = client(&Authority::new("nobody").pem(), None, &[]);
    Sender::new(Networks::new(listed), Arc::unwrap_or_clone(tls)).resolver(move |_| {
        let addresses = addresses.clone();
        async { Ok(addresses) }
    })
}

async fn attempt(sender: &Sender, uri: &str) -> AttemptOutcome {
    let body = Bytes::from_static(b"{}");
    let message = Message {
        account: "alice",
        id: "dlv_1",
        body: &body,
        secrets: &[],
        headers: &HeaderMap::new(),
    };
    sender.send(&destination(uri), message).await.outcome
}

/// Each range, as an address in the URI and as that of a name.
#[tokio::test]
async fn no_range_is_reached_at_creation_or_at_delivery() {
    let mut refused: Vec<IpAddr> = Vec::new();
    for (range, _) in REFUSED {
        let range: IpNet = range.parse().unwrap();
        refused.push(range.network());
    }
    for text in ["127.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "64:ff9b::a9fe:a9fe"] {
        refused.push(text.parse().unwrap());
    }
    for address in refused {
        let text = address.to_string();
        let host = match address {
            IpAddr::V4(_) => text.clone(),
            IpAddr::V6(_) => format!("[{text}]"),
        };
        // One that is refused among others is enough.
        for addresses in [&[&*text][..], &["9.9.9.9", &text], &[&text, "2606:4700::1"]] {
            let sender = sender(&[], addresses);
            for uri in [format!("https://{host}/"), "https://name.example/".to_owned()] {
                let checked = sender.check("alice", &destination(&uri)).await;
                assert_eq!(checked, Err(DestinationError::NoAddress), "{uri} {text}");
                assert_eq!(attempt(&sender, &uri).await, AttemptOutcome::Forbidden, "{uri} {text}");
            }
        }
    }
}

#[tokio::test]
async fn every_spelling_of_loopback_is_refused() {
    let sender = sender(&[], &["127.0.0.1"]);
    let target = Target::answering(|| panic!("it is reached")).await;
    let port = target.address.port();
    for host in [
        "127.0.0.1",
        "127.1",
        "0x7f.1",
        "017700000001",
        "2130706433",
        "0",
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "[::127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "metadata.google.internal",
    ] {
        for scheme in ["http", "https"] {
            let uri = format!("{scheme}://{host}:{port}/");
            let checked = sender.check("alice", &destination(&uri)).await;
            assert_eq!(checked, Err(DestinationError::NoAddress), "{uri}");
            assert_eq!(attempt(&sender, &uri).await, AttemptOutcome::Forbidden, "{uri}");
        }
    }
    assert_eq!(target.connections(), 0);
}

#[tokio::test]
async fn plain_http_needs_a_listed_network() {
    for (addresses, allowed) in
        [(&["10.0.0.1"][..], true), (&["9.9.9.9"], false), (&["10.0.0.1", "9.9.9.9"], false)]
    {
        let sender = sender(&["10.0.0.0/8"], addresses);
        let checked = sender.check("alice", &destination("http://name.example/")).await;
        let expected = if allowed { Ok(()) } else { Err(DestinationError::PlainHttp) };
        assert_eq!(checked, expected, "{addresses:?}");
        if !allowed {
            let outcome = attempt(&sender, "http://name.example/").await;
            assert_eq!(outcome, AttemptOutcome::Forbidden);
        }
        let secure = sender.check("alice", &destination("https://name.example/")).await;
        assert_eq!(secure, Ok(()));
    }
}

#[tokio::test]
async fn a_name_without_an_address_is_refused() {
    let failing = sender(&[], &[]).resolver(async |_| Err(io::Error::other("SERVFAIL")));
    for sender in [sender(&[], &[]), failing] {
        let checked = sender.check("alice", &destination("https://name.example/")).await;
        assert_eq!(checked, Err(DestinationError::NoAddress));
        let outcome = attempt(&sender, "https://name.example/").await;
        assert_eq!(outcome, AttemptOutcome::Unresolved);
    }
}

/// The name is public when the target is made, and this machine's afterwards; or the other way round between the
/// look-up and the connection, of which there is only one.
#[tokio::test]
async fn a_name_that_changes_its_address_is_judged_each_time() {
    let target = Target::answering(|| panic!("it is reached")).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let sender = sender(&[], &[]).resolver(move |_| {
        let is_first = count.fetch_add(1, Ordering::SeqCst) == 0;
        let address = if is_first { [9, 9, 9, 9] } else { [127, 0, 0, 1] };
        async move { Ok(vec![address.into()]) }
    });
    let uri = format!("https://name.example:{}/", target.address.port());
    assert_eq!(sender.check("alice", &destination(&uri)).await, Ok(()));
    assert_eq!(attempt(&sender, &uri).await, AttemptOutcome::Forbidden);
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert_eq!(target.connections(), 0);
}

/// An attempt asks once, and dials what it was told.
#[tokio::test]
async fn the_judged_address_is_dialled() {
    let listed = Target::answering(|| crate::target::status(http::StatusCode::OK)).await;
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let sender = sender(&["127.0.0.1/32"], &[]).resolver(move |_| {
        let address = match count.fetch_add(1, Ordering::SeqCst) {
            0 => IpAddr::from([127, 0, 0, 1]),
            _ => Ipv6Addr::LOCALHOST.into(),
        };
        async move { Ok(vec![address]) }
    });
    let uri = format!("http://name.example:{}/", listed.address.port());
    assert_eq!(attempt(&sender, &uri).await, AttemptOutcome::Delivered);
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let (head, _) = &listed.requests()[0];
    let host = format!("name.example:{}", listed.address.port());
    assert_eq!(head.headers["host"], *host);
}

#[test]
fn metadata_services_of_clouds_are_in_no_network_that_is_wider() {
    let wide = ["0.0.0.0/0", "::/0", "169.254.0.0/16", "fe80::/10", "fc00::/7"];
    let wide = Networks::new(wide.map(|net| net.parse().unwrap()));
    for address in [
        "169.254.0.23",
        "169.254.42.42",
        "fd00:42::42",
        "fd00:c1::a9fe:a9fe",
        "fe80::a9fe:a9fe",
        "::ffff:169.254.42.42",
    ] {
        let parsed: IpAddr = address.parse().unwrap();
        assert_eq!(wide.permission(parsed), Permission::Refused, "{address}");
        let alone = Networks::new([IpNet::from(parsed)]);
        assert_eq!(alone.permission(parsed), Permission::Listed, "{address}");
    }
}

/// The forms in which an IPv4 network can be written as one of IPv6 list the same addresses.
#[test]
fn a_network_in_its_mapped_form_is_that_of_the_ipv4_addresses() {
    for (net, inside, outside) in [
        ("::ffff:10.0.0.0/104", "10.9.8.7", "11.0.0.0"),
        ("::ffff:192.168.1.5/128", "192.168.1.5", "192.168.1.6"),
        ("64:ff9b::10.0.0.0/104", "10.9.8.7", "11.0.0.0"),
        ("::ffff:0:0/96", "10.9.8.7", "fd00::1"),
    ] {
        let networks = Networks::new([net.parse().unwrap()]);
        let judge = |address: &str| networks.permission(address.parse().unwrap());
        assert_eq!(judge(inside), Permission::Listed, "{net}");
        assert_ne!(judge(outside), Permission::Listed, "{net}");
    }
}
