//! Memory of this process: the server, and the client with its buffers.

use std::fs;

/// Content of `clear_refs` that ends the peak so far.
const END_PEAK: &str = "5";

/// Peak from a time on.
pub struct Peak {
    before_kib: i64,
}

impl Peak {
    /// Begins at the present use. An earlier peak does not hide a lower one.
    pub fn begin() -> Self {
        fs::write("/proc/self/clear_refs", END_PEAK).unwrap();
        Self { before_kib: peak_kib() }
    }

    /// KiB that were in use at once beyond those of the beginning.
    pub fn grown(&self) -> i64 {
        peak_kib() - self.before_kib
    }
}

fn peak_kib() -> i64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}
