//! Work on files that does not end, or panics.

use super::*;

#[test]
fn work_that_does_not_end_is_left_alone_and_begun_again_when_it_has_ended() {
    let path = Path::new("a file of this test alone");
    let (release, held) = mpsc::channel::<()>();
    let hung = in_time(path, move || {
        held.recv().ok();
        Ok(1)
    });
    assert_eq!(hung.unwrap_err().kind(), io::ErrorKind::TimedOut);

    let begun = in_time(path, || -> io::Result<()> { panic!("it was begun again") });
    assert_eq!(begun.unwrap_err().kind(), io::ErrorKind::TimedOut);
    assert_eq!(in_time(Path::new("another"), || Ok(2)).unwrap(), 2);

    drop(release);
    while OVERDUE.lock().contains(path) {
        thread::yield_now();
    }
    assert_eq!(in_time(path, || Ok(3)).unwrap(), 3);
}

#[test]
fn a_panic_is_an_error() {
    let path = Path::new("a file that makes it panic");
    let panicked = in_time(path, || -> io::Result<()> { panic!("for this test") });
    assert_eq!(panicked.unwrap_err().kind(), io::ErrorKind::Other);
}
