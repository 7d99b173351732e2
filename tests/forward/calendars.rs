//! The Python package caldav, which logs in with a bearer token by itself.

use crate::site::{ALL, DAV, Door, Login, PASSWORD, READS, Site, program, tool};
use crate::support::binary::{run, text};

fn calendars(site: &Site, door: &Door) -> String {
    let login = match &door.login {
        Login::Basic => format!("alice:{PASSWORD}"),
        Login::Bearer(token) => token.clone(),
    };
    let url = door.url.clone() + DAV;
    let mut command = site.client(tool("python"));
    command.arg(program("calendars.py")).args([&url, &login]).env("PYTHONIOENCODING", "utf-8");
    let output = run(&mut command, "");
    assert!(output.status.success(), "{output:?}");
    text(&output.stdout).to_owned()
}

#[test]
fn caldav_fills_searches_and_changes_a_calendar() {
    let Some(site) = Site::with(&[]) else {
        return;
    };
    for door in site.doors() {
        let wanted = "\
principal: /remote.php/dav/principals/users/alice/
make: /remote.php/dav/calendars/alice/work/
calendars: ['Work & play']
add: [None, None, None]
search: ['April']
recurring: ['weekly']
task: ['task']
changed: ['April', 'May', 'Märch, <changed>', 'weekly']
delete: ([], 1, ['May', 'Märch, <changed>', 'weekly'])
delete calendar: []
";
        assert_eq!(calendars(&site, &door), wanted, "{}", door.name);
    }
}

#[test]
fn caldav_says_that_a_token_may_not_write() {
    let Some(site) = Site::with(&[]) else {
        return;
    };
    let path = "/remote.php/dav/calendars/alice/work";
    assert_eq!(site.send("alice", &ALL, "MKCALENDAR", path), 201);
    let wanted = "\
principal: /remote.php/dav/principals/users/alice/
make: AuthorizationError
calendars: ['alice/work']
add: AuthorizationError
search: []
recurring: AuthorizationError
task: AuthorizationError
changed: NotFoundError
delete: NotFoundError
delete calendar: AuthorizationError
";
    assert_eq!(calendars(&site, &site.gateway("alice", &READS)), wanted);
    for method in ["PROPFIND", "REPORT", "GET", "DELETE"] {
        assert_eq!(site.send("bob", &ALL, method, path), 404);
    }
}
