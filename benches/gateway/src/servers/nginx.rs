//! nginx as a reverse proxy.
use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::Command;
use std::time::Duration;

use super::process::{Process, Wrapped};
use crate::site::Site;

/// Starts it with these directives. It is one process, so that killing it ends nginx.
pub(crate) fn start(site: &Site, directives: &str) -> Process {
    // Free, and taken a moment later: nginx does not tell which one it would take.
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let data = site.data.path().join(format!("nginx-{}", address.port()));
    let data = data.to_str().unwrap();
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|it| format!("{it}_temp_path {data}/{it};"))
        .concat();
    let (server, login) = (site.stand_in.url(), super::login(site));
    let config = format!(
        "daemon off; master_process off; pid {data}/pid; events {{}}
        http {{
            access_log off; client_max_body_size 0; {temporary}
            server {{
                listen {address};
                location / {{
                    proxy_pass {server}; proxy_http_version 1.1; proxy_set_header Authorization '{login}';
                    {directives}
                }}
            }}
        }}"
    );
    fs::create_dir(data).unwrap();
    fs::write(format!("{data}/nginx.conf"), config).unwrap();
    let mut command = Command::new("sh");
    let serve = format!("echo listening {address}; exec nginx -e stderr -c {data}/nginx.conf");
    command.args(["-c", &serve]);
    let process = Process::start(command, Wrapped::Not);
    while TcpStream::connect(address).is_err() {
        std::thread::sleep(Duration::from_millis(10));
    }
    process
}
