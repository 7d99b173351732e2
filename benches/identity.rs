//! The cost of authentication: `cargo bench --bench identity`.
//!
//! Prints nanoseconds and allocations per check, the best of several rounds. A *first* check
//! parses a token and verifies its signature; a *cached* one finds its digest. Wall time depends
//! on the machine: compare lines of one run.

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use http::Request;
use http::request::Parts;
use portreeve::identity::{
    Algorithm, BearerToken, CacheLimits, Caller, JwtVerifier, StaticTokens, TokenVerifier,
    TokensFile, Verifiers, VerifyError,
};
use portreeve_test_support::issuer::{Key, StandIn, b64, jwt, requirements};
use sha2::{Digest as _, Sha256};

fn main() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _entered = runtime.enter();
    let lines = runtime.block_on(lines());

    println!("{:<28} {:>10} {:>12}", "check", "ns", "allocations");
    for line in &lines {
        let (nanoseconds, allocations) = measure(&line.check);
        println!("{:<28} {nanoseconds:>10.0} {allocations:>12.1}", line.name);
    }
}

struct Line {
    name: &'static str,
    check: Box<dyn Fn()>,
}

async fn lines() -> Vec<Line> {
    let issuer = StandIn::start().await;
    let keys = [
        ("first RS256", "RS256", Key::rsa()),
        ("first PS256", "PS256", Key::rsa()),
        ("first ES256", "ES256", Key::p256()),
        ("first ES384", "ES384", Key::p384()),
        ("first EdDSA", "EdDSA", Key::ed25519()),
    ];
    let jwks: Vec<_> = keys.iter().map(|(_, alg, key)| key.jwk(alg)).collect();
    issuer.publish(&jwks);
    let uncached = jwt(issuer.provider());
    uncached.provider().discover().await.unwrap();
    let tokens: Vec<_> = keys
        .iter()
        .map(|(name, alg, key)| (*name, key.token(alg, alg, &issuer.claims())))
        .collect();

    // A service with all its verifiers but introspection, which costs a call.
    let directory = tempfile::tempdir().unwrap();
    let file = TokensFile::new(directory.path().join("tokens"));
    let fixed = file
        .new_token("alice", ["webhooks"])
        .unwrap()
        .token
        .expose()
        .to_owned();
    let all = |limits| {
        let tokens = StaticTokens::open(file.path()).unwrap();
        let jwt = JwtVerifier::new(
            uncached.provider().clone(),
            requirements(),
            Algorithm::DEFAULT,
        );
        Verifiers::new(Some(jwt.unwrap()), Some(tokens), None, limits).unwrap()
    };
    let cached = all(CacheLimits::default());
    let rs256 = tokens[0].1.clone();
    assert_eq!(now(&cached, &bearer(&rs256)).unwrap().name(), "alice");
    let alone = StaticTokens::open(file.path()).unwrap();
    let with_all = all(CacheLimits::default());
    let unsigned = format!(
        "{}.{}.",
        b64(r#"{"alg":"none"}"#),
        b64(issuer.claims().to_string())
    );
    std::mem::forget(directory); // The verifiers read it as long as the benchmark runs.

    let floor = rs256.clone();
    let mut lines = vec![
        line("SHA-256 of the token", move || {
            black_box(Sha256::digest(black_box(floor.as_bytes())));
        }),
        accepted("cached RS256", cached, rs256),
        accepted("static token", alone, fixed.clone()),
        accepted("static token among others", with_all, fixed),
    ];
    for (name, token) in tokens {
        lines.push(accepted(name, uncached.clone(), token));
    }
    lines.push(line("refused: alg none", move || {
        assert!(black_box(now(&uncached, &bearer(&unsigned))).is_err());
    }));
    lines
}

fn accepted<V: TokenVerifier>(name: &'static str, verifier: V, token: String) -> Line {
    line(name, move || {
        assert!(black_box(now(&verifier, &bearer(&token))).is_ok());
    })
}

fn line(name: &'static str, check: impl Fn() + 'static) -> Line {
    Line {
        name,
        check: Box::new(check),
    }
}

/// As the gateway makes it for each request: one allocation.
fn bearer(token: &str) -> BearerToken {
    BearerToken::new(black_box(token)).unwrap()
}

/// The result of a check that need not wait, called as the gateway does.
fn now(verifier: &impl TokenVerifier, token: &BearerToken) -> Result<Caller, VerifyError> {
    thread_local!(static HEAD: Parts = Request::new(()).into_parts().0);
    let result = HEAD.with(|head| verifier.verify_now(token, head));
    result.expect("a check from memory needs no waiting")
}

/// Nanoseconds of the best round and allocations, per check.
fn measure(check: &dyn Fn()) -> (f64, f64) {
    let begun = Instant::now();
    let mut warm = 0_u32;
    while begun.elapsed() < Duration::from_millis(50) {
        check();
        warm += 1;
    }
    let (mut best, before) = (f64::MAX, ALLOCATIONS.load(Ordering::Relaxed));
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        for _ in 0..warm {
            check();
        }
        best = best.min(begun.elapsed().as_nanos() as f64 / f64::from(warm));
    }
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    (best, allocations as f64 / f64::from(ROUNDS * warm))
}

const ROUNDS: u32 = 10;

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

#[global_allocator]
static COUNTING: Counting = Counting;

// SAFETY: each call is passed unchanged to the system's allocator.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }
}
