//! Typical mistakes of users, and the messages that they get.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use crate::support::binary::{
    Served, assert_contains, failure, portreeve, serve_in, success, token,
};
use crate::support::certificates::Authority;

/// A certificate of X.509 version 1, as `openssl x509 -req` of OpenSSL 3.0 makes it, and its key.
const V1: &str = "\
-----BEGIN CERTIFICATE-----\n\
MIIBIjCByQIUJRJhbXngRqgBwfauxJx5V10roKwwCgYIKoZIzj0EAwIwFDESMBAG\n\
A1UEAwwJbG9jYWxob3N0MB4XDTI2MTEyMzA5NDIyNFoXDTM2MTEyMDA5NDIyNFow\n\
FDESMBAGA1UEAwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n\
tu/9vXZ9DsxE0RywcQQAJ9IrM+xv6HL+afjU77BlfZvjG6fw9isyCFzy15AMkk/x\n\
H8xZvMpMq/wTAvYSqY+m9jAKBggqhkjOPQQDAgNIADBFAiEAmsKk5FVS/vArt8EE\n\
zpXYtWagD/96eEIpH+DhRetAlnYCIEQDcO0bcKnU7GqEFEQzY7mGWRxhAzoZNluc\n\
2qLGZZEJ\n\
-----END CERTIFICATE-----\n\
";
const V1_KEY: &str = "\
-----BEGIN EC PRIVATE KEY-----\n\
MHcCAQEEIAiZUG8upq9Z3izNK34+C9POq+JaSFPMUuFQnruG1jKLoAoGCCqGSM49\n\
AwEHoUQDQgAEtu/9vXZ9DsxE0RywcQQAJ9IrM+xv6HL+afjU77BlfZvjG6fw9isy\n\
CFzy15AMkk/xH8xZvMpMq/wTAvYSqY+m9g==\n\
-----END EC PRIVATE KEY-----\n\
";

/// `serve` with TLS, with these PEM texts.
fn serve_tls(dir: &Path, cert: &str, key: &str) -> Command {
    token(dir, "alice");
    let mut command = serve_in(dir);
    for (name, pem) in [("tls.pem", cert), ("tls.key", key)] {
        let path = dir.join(name);
        fs::write(&path, pem).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let flag = format!("--{}", name.replace(".pem", "-cert").replace(".key", "-key"));
        command.arg(flag).arg(path);
    }
    command
}

#[test]
fn a_version_1_certificate_and_a_key_with_a_passphrase_are_explained() {
    let dir = tempfile::tempdir().unwrap();
    let line = failure(&mut serve_tls(dir.path(), V1, V1_KEY), 1);
    assert_contains(&line, &["tls.pem", "X.509 version 1", "subjectAltName"]);
    let good = Authority::new("passphrase").ending_in(9);
    let (cert, _) = good.write(dir.path());
    let cert = fs::read_to_string(cert).unwrap();
    for begin in [
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n",
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\nMAA=\n-----END RSA PRIVATE KEY-----\n",
    ] {
        let line = failure(&mut serve_tls(dir.path(), &cert, begin), 1);
        assert_contains(&line, &["tls.key", "passphrase", "openssl pkey -in"]);
    }
}

#[test]
fn a_healthcheck_with_the_wrong_tls_settings_names_the_mistake() {
    let dir = tempfile::tempdir().unwrap();
    let good = Authority::new("health").ending_in(9);
    let (cert, key) = good.write(dir.path());
    let [cert, key] = [cert, key].map(|path| fs::read_to_string(path).unwrap());
    let served = Served::start(&mut serve_tls(dir.path(), &cert, &key));
    let health = |address: &str, tls: bool| {
        let mut command = portreeve();
        command.args(["healthcheck", "--listen", address]);
        if tls {
            command.arg("--tls-cert").arg(dir.path().join("tls.pem"));
            command.arg("--tls-key").arg(dir.path().join("tls.key"));
        }
        command
    };
    let address = served.address.to_string();
    success(&mut health(&address, true), "");
    let line = failure(&mut health(&address, false), 1);
    assert_contains(&line, &["with TLS on", "tls_cert"]);
    let plain = Served::start(&mut serve_in(dir.path()));
    let line = failure(&mut health(&plain.address.to_string(), true), 1);
    assert!(line.contains("the same tls_cert"), "{line}");
}
