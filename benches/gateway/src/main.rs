//! The cost of the gateway, compared with a bare hyper forwarder that checks nothing and with the same
//! calls in axum and reqwest: CPU, times, instructions, allocations, memory.
//!
//!     cargo bench --bench gateway
//!     cargo bench --bench gateway -- cost --chart
//!
//! Each server is a separate process that has the last core to itself. The clients and the
//! stand-in for the groupware server, which sends what the real one sends, are threads of this
//! process on the other cores.

mod arguments;
mod client;
mod cores;
mod cost;
mod counted;
mod endpoint;
mod forward;
mod frames;
mod idle;
mod parts;
mod programs;
mod servers;
mod site;
mod stand_in;
mod users;
mod webdav;
mod worst;

use std::process::ExitCode;

use arguments::{Arguments, Section};
use site::Site;

fn main() -> ExitCode {
    servers::serve_if_started_as_one();
    let arguments = Arguments::from_env();
    if let Some(program) = &arguments.program {
        programs::measure(program.clone());
    }
    cores::raise_open_files();
    cores::leave_the_last();
    // All tasks share a thread, and this one may wait for a server to start.
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    runtime.block_on(async {
        let site = Site::prepare(site::USERS).await;
        let mut outcome = ExitCode::SUCCESS;
        for section in &arguments.sections {
            match section {
                Section::Cost => cost::report(&site, arguments.chart).await,
                Section::Instructions => counted::report(&site).await,
                Section::Guard if counted::holds(&site, arguments.update).await => {}
                Section::Worst if worst::holds(&site).await => {}
                Section::Guard | Section::Worst => outcome = ExitCode::FAILURE,
                Section::Parts => parts::report(&site).await,
                Section::Idle => idle::report(&site).await,
                Section::Users => users::report().await,
                Section::Forward => forward::report(&site).await,
            }
        }
        outcome
    })
}
