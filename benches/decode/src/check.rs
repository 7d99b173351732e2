//! Checks before the measurements that all decoders give the same outcome for every message.
use crate::reader;
use crate::task::{Decoder, Frame, Framing, Task};
use crate::workload::Workload;

/// Stops the program if a decoder does not give the same outcome as the reader.
pub fn check(decoders: &[Decoder], workloads: &[Workload]) {
    for workload in workloads {
        for (number, frame) in workload.frames.iter().enumerate() {
            let message = format!("{}, message {number}", workload.name);
            check_frame(decoders, workload.framing, frame, &message);
        }
    }
}

fn check_frame(decoders: &[Decoder], framing: Framing, frame: &Frame, message: &str) {
    for task in [Task::Pair, Task::Full] {
        let expected = reader::DECODER.run(task, framing).and_then(|run| run(frame));
        let expected = expected.unwrap_or_else(|| panic!("{message}: cannot be read"));
        for decoder in decoders {
            let Some(run) = decoder.run(task, framing) else {
                continue;
            };
            let outcome = run(frame);
            let (task, name) = (task.name(), decoder.name);
            assert!(
                outcome == Some(expected),
                "{message}, {task}: {name} gives {outcome:x?}, not {expected:x}"
            );
        }
    }
}
