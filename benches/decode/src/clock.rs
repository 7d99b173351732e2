//! Wall time.
use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::task::{Frame, Run};

/// The minimum time of one measurement of a decoder.
const SPAN: Duration = Duration::from_millis(2);
/// How often each decoder is measured.
const ROUNDS: usize = 15;

/// Nanoseconds per message, the best of several measurements. The decoders take turns, so that a
/// temporary slowdown of the machine affects all of them.
pub fn nanoseconds(runs: &[Option<Run>], frames: &[Frame]) -> Vec<Option<f64>> {
    let mut best: Vec<Option<f64>> = vec![None; runs.len()];
    let repeats: Vec<u32> =
        runs.iter().map(|run| run.map_or(0, |run| repeats(run, frames))).collect();
    for _ in 0..ROUNDS {
        for ((run, best), repeats) in runs.iter().zip(&mut best).zip(&repeats) {
            let Some(run) = run else { continue };
            let elapsed = time(*run, frames, *repeats).as_secs_f64() * 1e9;
            let each = elapsed / f64::from(*repeats) / frames.len() as f64;
            *best = Some(best.map_or(each, |best| best.min(each)));
        }
    }
    best
}

fn repeats(run: Run, frames: &[Frame]) -> u32 {
    let mut repeats = 1;
    while time(run, frames, repeats) < SPAN {
        repeats *= 2;
    }
    repeats
}

fn time(run: Run, frames: &[Frame], repeats: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..repeats {
        for frame in black_box(frames) {
            black_box(run(frame));
        }
    }
    start.elapsed()
}
