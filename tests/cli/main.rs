//! The binary as a process: its commands and settings, and what it leaves behind when it is killed.

use portreeve_test_support as support;

mod accounts;
#[cfg(target_os = "linux")]
mod apart;
#[cfg(unix)]
mod backup;
mod configuration;
#[cfg(unix)]
mod crash;
mod decode;
mod decode_traffic;
mod deliveries;
mod demo;
#[cfg(unix)]
mod discovery;
mod events;
mod flood;
mod forward;
#[cfg(target_os = "linux")]
mod game_connect;
#[cfg(unix)]
mod game_record;
mod guide;
#[cfg(target_os = "linux")]
#[cfg(feature = "postgres")]
mod history;
#[cfg(target_os = "linux")]
mod idle;
#[cfg(target_os = "linux")]
mod init;
#[cfg(feature = "postgres")]
mod keys;
#[cfg(target_os = "linux")]
mod kills;
mod log;
#[cfg(feature = "postgres")]
mod logins;
#[cfg(feature = "postgres")]
mod lost_answers;
mod metrics;
mod monitoring;
#[cfg(unix)]
mod output;
#[cfg(target_os = "linux")]
mod owners;
#[cfg(all(unix, feature = "postgres"))]
mod pooler;
#[cfg(unix)]
mod precautions;
#[cfg(target_os = "linux")]
mod proxies;
#[cfg(unix)]
mod receiving;
#[cfg(unix)]
mod recording;
#[cfg(unix)]
mod reload;
mod rotate;
mod samples;
mod scrape;
#[cfg(feature = "postgres")]
mod several;
#[cfg(all(target_os = "linux", target_env = "gnu", feature = "postgres"))]
mod slow_database;
// It preloads a library, which needs a dynamically linked C library.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod slow_disk;
#[cfg(unix)]
mod sockets;
#[cfg(target_os = "linux")]
mod standard_error;
#[cfg(target_os = "linux")]
mod states;
#[cfg(unix)]
mod supervisor;
#[cfg(target_os = "linux")]
mod terminal;
#[cfg(unix)]
mod texts;
#[cfg(unix)]
mod tls;
mod tools;
