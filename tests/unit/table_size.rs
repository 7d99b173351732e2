//! How often a table is measured.

use std::cell::Cell;

use super::*;
use crate::game::schema::event::GameEventContainer;
use crate::game::table::Viewer;

thread_local! {
    /// How often a table was measured.
    pub(super) static MEASURED: Cell<u32> = const { Cell::new(0) };
}

/// A full table is not measured again for each event that has no room, and has room again for others once
/// players have left.
#[test]
fn a_full_table_is_rarely_measured() {
    let mut table = Table::with_limit(Viewer::Everything, 1 << 20);
    // `event_list { [Event_Join.ext] { player_properties { player_id: … } } }`
    let join = |table: &mut Table, number: u32| {
        let [low, high] = [number as u8 | 0x80, (number >> 7) as u8 & 0x7f];
        let event = [0x12, 0x08, 0xc2, 0x3e, 0x05, 0x0a, 0x03, 0x08, low, high];
        let container = GameEventContainer::parse(&event).unwrap();
        table.apply(&container).is_ok()
    };
    let joined = (0..16_000).filter(|&number| join(&mut table, number)).count();
    assert!((1_000..8_000).contains(&joined), "{joined}");
    assert!(table.memory() <= 1 << 20);
    // Each adds to what was asked for at least what is assumed of a player.
    let most = 16_000 * ITEM * 8 / (1 << 20) + 16;
    let measured = MEASURED.take() as usize;
    assert!(measured <= most, "{measured} > {most}");
    table.participants.clear();
    let again = (0..1_000).filter(|&number| join(&mut table, number)).count();
    assert!(again > 800, "{again}");
}
