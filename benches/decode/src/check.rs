//! Checks before the measurements that all decoders give the same outcome for every message.
use crate::checksum::Sum;
use crate::reader;
use crate::task::{Decoder, Frame, Framing, Task};
use crate::workload::{Ids, Workload};

/// Stops the program if a decoder does not give the same outcome as the reader.
pub fn check(decoders: &[Decoder], ids: Ids, workloads: &[Workload]) {
    for workload in workloads {
        for (number, frame) in workload.frames.iter().enumerate() {
            let message = format!("{}, {}, message {number}", workload.name, ids.name());
            check_frame(decoders, workload.framing, frame, &message);
        }
    }
}

fn check_frame(decoders: &[Decoder], framing: Framing, frame: &Frame, message: &str) {
    for task in [Task::Pair, Task::Full] {
        let expected = reader::DECODER
            .run(task, framing)
            .and_then(|run| run(frame));
        let expected = expected.unwrap_or_else(|| panic!("{message}: cannot be read"));
        for decoder in decoders {
            let Some(run) = decoder.run(task, framing) else {
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
