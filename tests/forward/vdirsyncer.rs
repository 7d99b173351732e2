//! vdirsyncer, which keeps calendars and address books in folders. It logs in with a password alone, and its users who have
//! a token run a proxy.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::shim::Shim;
use crate::site::{DAV, Door, PASSWORD, READS, Site, tool};
use crate::support::binary::{run, text};

/// The folders of one computer, and how it gets to the server.
struct Computer<'a> {
    site: &'a Site,
    folder: PathBuf,
    _shim: Shim,
}

// === impl Computer ===

impl<'a> Computer<'a> {
    fn new(site: &'a Site, door: &Door, name: &str) -> Self {
        let shim = Shim::before(door);
        let folder = site.path(&format!("{name} at {}", door.name));
        let (place, url) = (folder.display(), shim.url());
        let mut config = format!("[general]\nstatus_path = \"{place}/status\"\n");
        // One finds the server by its name alone, the other by the address that Nextcloud's pages show.
        for (kind, suffix, url) in
            [("caldav", "ics", format!("{url}/")), ("carddav", "vcf", format!("{url}{DAV}"))]
        {
            fs::create_dir_all(folder.join(kind)).unwrap();
            config += &format!(
                "[pair {kind}]\na = \"{kind}_here\"\nb = \"{kind}_there\"\ncollections = [\"from a\", \"from b\"]\n\
                 metadata = [\"displayname\"]\nconflict_resolution = \"a wins\"\n\
                 [storage {kind}_here]\ntype = \"filesystem\"\npath = \"{place}/{kind}\"\nfileext = \".{suffix}\"\n\
                 [storage {kind}_there]\ntype = \"{kind}\"\nurl = \"{url}\"\nusername = \"alice\"\npassword = \"{PASSWORD}\"\n"
            );
        }
        fs::write(folder.join("config"), config).unwrap();
        Self { site, folder, _shim: shim }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = self.site.client(tool("vdirsyncer"));
        command.arg("-c").arg(self.folder.join("config")).args(arguments);
        // Whether it is to make what is missing on the other side.
        run(&mut command, &"y\n".repeat(10))
    }

    #[track_caller]
    fn does(&self, arguments: &[&str]) {
        let output = self.run(arguments);
        assert!(output.status.success(), "{output:?}");
    }

    fn sync(&self) {
        self.does(&["sync"]);
    }

    fn write(&self, name: &str, content: &str) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Whether it has each of these names in a folder, with this text in it, and nothing else.
    #[track_caller]
    fn has(&self, folder: &str, files: &[(&str, &str)]) {
        let mut found: Vec<_> = fs::read_dir(self.folder.join(folder))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.contains('.'))
            .collect();
        found.sort();
        assert_eq!(found, files.iter().map(|it| it.0).collect::<Vec<_>>());
        for (name, part) in files {
            let content = fs::read_to_string(self.folder.join(folder).join(name)).unwrap();
            assert!(content.contains(part), "{name}: {content}");
        }
    }
}

fn event(uid: &str, summary: &str) -> String {
    format!(
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\nBEGIN:VEVENT\r\nUID:{uid}\r\nDTSTAMP:20260301T100000Z\r\n\
         DTSTART:20260301T100000Z\r\nSUMMARY:{summary}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
    )
}

fn card(uid: &str, name: &str) -> String {
    format!("BEGIN:VCARD\r\nVERSION:3.0\r\nUID:{uid}\r\nFN:{name}\r\nN:;{name};;;\r\nEND:VCARD\r\n")
}

#[test]
fn vdirsyncer_keeps_two_computers_alike() {
    let Some(site) = Site::with(&[]) else {
        return;
    };
    for door in site.doors() {
        let home = format!("caldav/home-{}", door.name);
        let friends = format!("carddav/friends-{}", door.name);
        let one = Computer::new(&site, &door, "one");
        one.write(&format!("{home}/a.ics"), &event("a", "first"));
        one.write(&format!("{home}/b.ics"), &event("b", "second"));
        one.write(&format!("{home}/displayname"), "At home");
        one.write(&format!("{friends}/bob.vcf"), &card("bob", "Bob Käse"));
        one.does(&["discover"]);
        one.sync();
        one.does(&["metasync"]);

        let two = Computer::new(&site, &door, "two");
        two.does(&["discover"]);
        two.sync();
        two.does(&["metasync"]);
        two.has(&home, &[("a.ics", "first"), ("b.ics", "second")]);
        two.has(&friends, &[("bob.vcf", "Bob Käse")]);
        let name = fs::read_to_string(two.folder.join(&home).join("displayname")).unwrap();
        assert_eq!(name, "At home");

        two.write(&format!("{home}/a.ics"), &event("a", "changed"));
        two.write(&format!("{home}/c.ics"), &event("c", "third"));
        fs::remove_file(two.folder.join(&home).join("b.ics")).unwrap();
        two.write(&format!("{friends}/eve.vcf"), &card("eve", "Eve"));
        fs::remove_file(two.folder.join(&friends).join("bob.vcf")).unwrap();
        two.sync();
        one.sync();
        one.has(&home, &[("a.ics", "changed"), ("c.ics", "third")]);
        one.has(&friends, &[("eve.vcf", "Eve")]);
    }
}

#[test]
fn vdirsyncer_says_that_a_token_may_not_write() {
    let Some(site) = Site::with(&[]) else {
        return;
    };
    let [_, writes] = site.doors();
    let one = Computer::new(&site, &writes, "one");
    one.write("caldav/home/a.ics", &event("a", "first"));
    one.write("carddav/friends/bob.vcf", &card("bob", "Bob"));
    one.does(&["discover"]);
    one.sync();

    let reader = Computer::new(&site, &site.gateway("alice", &READS), "reader");
    reader.does(&["discover"]);
    reader.sync();
    reader.has("caldav/home", &[("a.ics", "first")]);
    reader.write("caldav/home/b.ics", &event("b", "second"));
    reader.write("carddav/friends/eve.vcf", &card("eve", "Eve"));
    for pair in ["caldav", "carddav"] {
        let output = reader.run(&["sync", pair]);
        assert!(!output.status.success(), "{output:?}");
        assert!(text(&output.stderr).contains("403, message='Forbidden'"), "{output:?}");
    }
    one.sync();
    one.has("caldav/home", &[("a.ics", "first")]);
    one.has("carddav/friends", &[("bob.vcf", "Bob")]);

    let stranger = Computer::new(&site, &site.gateway("bob", &READS), "stranger");
    assert!(!stranger.run(&["discover"]).status.success());
}
