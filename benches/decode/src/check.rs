//! Before anything is measured: every decoder must give the same outcome for every message.
use crate::checksum::Sum;
use crate::reader;
use crate::task::{Decoder, Frame, Task};
use crate::workload::Workload;

/// Stops the program if a decoder does not give the same outcome as the reader.
pub fn check(decoders: &[Decoder], workloads: &[Workload]) {
    for Workload { name, frames, .. } in workloads {
        for (number, frame) in frames.iter().enumerate() {
            check_frame(decoders, frame, &format!("{name}, message {number}"));
        }
    }
}

fn check_frame(decoders: &[Decoder], frame: &Frame, message: &str) {
    for task in [Task::Pair, Task::Full] {
        let expected = reader::DECODER.run(task).and_then(|run| run(frame));
        let expected = expected.unwrap_or_else(|| panic!("{message}: cannot be read"));
        for decoder in decoders {
            let Some(run) = decoder.run(task) else {
                continue;
            };
            let outcome = run(frame);
            let agrees = match outcome {
                // The floor decodes no value, but it sees as many fields.
                Some(sum) if task == Task::Full && decoder.is_floor => {
                    Sum::fields(sum) == Sum::fields(expected)
                }
                outcome => outcome == Some(expected),
            };
            let (task, name) = (task.name(), decoder.name);
            assert!(
                agrees,
                "{message}, {task}: {name} gives {outcome:x?}, not {expected:x}"
            );
        }
    }
}
