//! Memory of processes while nothing disturbs them.

use std::{collections::BTreeMap, time::Duration};

use stack::{Stack, measure::resident_mib};

/// MiB that a process may gain in addition to a tenth of its memory: caches that fill, pools that grow.
const SLACK_MIB: f64 = 16.0;

/// Resident memory by process, with the time of the reading.
#[derive(Debug, Default)]
pub struct Samples(BTreeMap<String, Vec<(Duration, f64)>>);

/// Memory that one process gained.
#[derive(Debug, Clone)]
pub struct Growth {
    pub process: String,
    pub from_mib: f64,
    pub to_mib: f64,
}

impl Growth {
    pub fn is_flat(&self) -> bool {
        self.to_mib <= self.from_mib.mul_add(1.1, SLACK_MIB)
    }
}

impl Samples {
    pub fn take(&mut self, stack: &Stack, at: Duration) {
        for (name, pid) in stack.pids() {
            // A process that has just ended has no memory to read.
            if let Ok(mib) = resident_mib(pid) {
                self.0.entry(name).or_default().push((at, mib));
            }
        }
    }

    /// Averages of the first and the last quarter of the calm time. The stand-in keeps every message that was sent to
    /// it, so it is left out.
    pub fn growth(&self, calm_after: Duration) -> Vec<Growth> {
        let own = self.0.iter().filter(|(name, _)| *name != "platforms-stand-in");
        own.filter_map(|(name, samples)| {
            let calm: Vec<f64> =
                samples.iter().filter(|(at, _)| *at >= calm_after).map(|(_, mib)| *mib).collect();
            let quarter = calm.len() / 4;
            (quarter > 0).then(|| Growth {
                process: name.clone(),
                from_mib: average(&calm[..quarter]),
                to_mib: average(&calm[calm.len() - quarter..]),
            })
        })
        .collect()
    }
}

fn average(values: &[f64]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a count of samples")]
    let count = values.len() as f64;
    values.iter().sum::<f64>() / count
}
