//! Many connections at once: what one costs that is idle, how thousands of active ones fare before a
//! slow groupware server, and what happens where the limit of open files is met.
//!
//!     cargo bench --bench connections
//!     cargo bench --bench connections -- --idle 10000 --active 2000 --seconds 600
//!
//! The servers are processes of their own, whose memory the kernel tells; client and stand-in share
//! this one. Everything is on the loopback address.

mod active;
mod arguments;
mod bare;
mod idle;
mod open_files;
mod server;
mod stand_in;

use arguments::Arguments;

fn main() {
    let arguments = Arguments::from_env();
    if arguments.bare {
        return bare::serve();
    }
    server::raise_open_files();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        idle::report(arguments.idle).await;
        open_files::report().await;
        active::report(arguments.active, arguments.seconds).await;
    });
}
