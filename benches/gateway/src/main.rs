//! The cost of the gateway, compared with a bare hyper forwarder that checks nothing and with the same
//! calls in axum and reqwest: CPU, times, instructions, allocations, memory.
//!
//!     cargo bench --bench gateway
//!     cargo bench --bench gateway -- cost --chart docs/charts/gateway.svg
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
mod frames;
mod idle;
mod in_flight;
mod programs;
mod servers;
mod site;
mod stand_in;
mod start;
mod users;
mod worst;

use std::process::ExitCode;

use arguments::{Arguments, Section};
use site::Site;

fn main() -> ExitCode {
    if let Some(server) = servers::Role::from_env() {
        server.serve();
        return ExitCode::SUCCESS;
    }
    let arguments = Arguments::from_env();
    if let Some(program) = &arguments.program {
        programs::measure(program.clone());
    }
    cores::raise_open_files();
    cores::leave_the_last();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let site = Site::prepare(arguments.database.clone()).await;
        let mut outcome = ExitCode::SUCCESS;
        for section in &arguments.sections {
            match section {
                Section::Cost => cost::report(&site, &arguments).await,
                Section::Instructions => counted::report(&site, &arguments).await,
                Section::Guard => outcome = counted::guard(&site, &arguments).await,
                Section::Worst if worst::holds(&site).await => {}
                Section::Worst => outcome = ExitCode::FAILURE,
                Section::InFlight => in_flight::report(&site, &arguments).await,
                Section::Idle => idle::report(&site, &arguments).await,
                Section::Start => start::report(&site, &arguments).await,
                Section::Users => users::report(&arguments).await,
            }
        }
        outcome
    })
}
