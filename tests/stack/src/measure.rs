//! Rounds, medians and processor time. Only ratios of one run on one machine are meaningful: absolute figures vary with
//! the machine's other load.

use std::{fs, time::Duration};

use anyhow::{Context, Result};

/// Figures of several rounds of one thing.
#[derive(Debug, Clone, Default)]
pub struct Rounds {
    values: Vec<f64>,
}

impl Rounds {
    pub fn add(&mut self, value: f64) {
        self.values.push(value);
    }

    pub fn median(&self) -> f64 {
        let sorted = self.sorted();
        sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
    }

    /// `median (min – max)`.
    pub fn summary(&self, unit: &str) -> String {
        let sorted = self.sorted();
        let (low, high) =
            (sorted.first().copied().unwrap_or(f64::NAN), sorted.last().copied().unwrap_or(f64::NAN));
        format!("{} ({} – {}) {unit}", short(self.median()), short(low), short(high))
    }

    fn sorted(&self) -> Vec<f64> {
        let mut sorted = self.values.clone();
        sorted.sort_by(f64::total_cmp);
        sorted
    }
}

/// A value at a percentile of samples, in their unit.
pub fn percentile(samples: &mut [f64], percent: f64) -> f64 {
    samples.sort_by(f64::total_cmp);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "an index"
    )]
    let index = ((samples.len() as f64 - 1.0) * percent / 100.0).round() as usize;
    samples.get(index).copied().unwrap_or(f64::NAN)
}

/// A number with three significant digits.
pub fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 1000.0 => format!("{value:.0}"),
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// User and system time that a process has used.
pub fn processor_time(pid: u32) -> Result<Duration> {
    time_in(&format!("/proc/{pid}/stat")).with_context(|| format!("process {pid} is gone"))
}

/// User and system time that the calling thread has used.
pub fn thread_time() -> Result<Duration> {
    time_in("/proc/thread-self/stat")
}

/// User and system time of the children that this process has waited for.
pub fn children_time() -> Result<Duration> {
    ended_children_time(std::process::id())
}

/// User and system time of the children that a process has waited for.
pub fn ended_children_time(pid: u32) -> Result<Duration> {
    times_at(&format!("/proc/{pid}/stat"), CHILDREN_TIMES).with_context(|| format!("process {pid} is gone"))
}

/// Places of user and system time after the name in `/proc/…/stat`: the process's own, and that of its ended children.
const OWN_TIMES: [usize; 2] = [11, 12];
const CHILDREN_TIMES: [usize; 2] = [13, 14];

fn time_in(path: &str) -> Result<Duration> {
    times_at(path, OWN_TIMES)
}

fn times_at(path: &str, [user, system]: [usize; 2]) -> Result<Duration> {
    // Clock ticks are hundredths of a second on every Linux that Rust supports.
    const TICKS_PER_SECOND: u64 = 100;
    let stat = fs::read_to_string(path)?;
    let after_name = stat.rsplit_once(')').context("an unexpected form of /proc/…/stat")?.1;
    let field = |index: usize| -> Result<u64> {
        Ok(after_name.split_whitespace().nth(index).context("a short /proc/…/stat")?.parse()?)
    };
    Ok(Duration::from_millis((field(user)? + field(system)?) * 1000 / TICKS_PER_SECOND))
}

/// Memory that only this process maps, in MiB.
pub fn private_mib(pid: u32) -> Result<f64> {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup"))?;
    Ok(mib_of(&rollup, "Private_Clean:")? + mib_of(&rollup, "Private_Dirty:")?)
}

/// Resident memory of a process in MiB.
pub fn resident_mib(pid: u32) -> Result<f64> {
    mib_of(&fs::read_to_string(format!("/proc/{pid}/status"))?, "VmRSS:")
}

/// Begins a new peak of the resident memory of a process.
pub fn reset_peak(pid: u32) -> Result<()> {
    const PEAK: &str = "5";
    Ok(fs::write(format!("/proc/{pid}/clear_refs"), PEAK)?)
}

/// Peak of the resident memory of a process since [`reset_peak`], in MiB.
pub fn peak_mib(pid: u32) -> Result<f64> {
    mib_of(&fs::read_to_string(format!("/proc/{pid}/status"))?, "VmHWM:")
}

fn mib_of(text: &str, field: &'static str) -> Result<f64> {
    let line = text.lines().find(|line| line.starts_with(field)).context(field)?;
    let kib: f64 = line.split_whitespace().nth(1).context(field)?.parse()?;
    Ok(kib / 1024.0)
}

pub fn load_average() -> String {
    fs::read_to_string("/proc/loadavg").map_or_else(
        |_| "unknown".into(),
        |text| text.split_whitespace().take(3).collect::<Vec<_>>().join(" "),
    )
}

/// The processors' time since the start of the machine, in the kernel's ticks.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProcessorTime {
    all: u64,
    idle: u64,
    stolen: u64,
}

impl ProcessorTime {
    /// Zero where the kernel does not report it.
    pub fn now() -> Self {
        let text = fs::read_to_string("/proc/stat").unwrap_or_default();
        let ticks: Vec<u64> =
            text.lines().next().unwrap_or_default().split_whitespace().skip(1).flat_map(str::parse).collect();
        // user, nice, system, idle, iowait, irq, softirq, steal; what guests got is in the first two.
        Self {
            all: ticks.iter().take(8).sum(),
            idle: ticks.iter().skip(3).take(2).sum(),
            stolen: ticks.get(7).copied().unwrap_or(0),
        }
    }

    /// Percentage of time since then that the host gave to other machines: above a few percent the measurement is not
    /// conclusive.
    pub fn stolen_since(self) -> f64 {
        self.percentage_since(|time| time.stolen)
    }

    /// Percentage of time since then in which the processors had no work.
    pub fn idle_since(self) -> f64 {
        self.percentage_since(|time| time.idle)
    }

    #[expect(clippy::cast_precision_loss, reason = "ticks of days are exact in a float")]
    fn percentage_since(self, part: impl Fn(&Self) -> u64) -> f64 {
        let now = Self::now();
        let all = now.all.saturating_sub(self.all).max(1);
        part(&now).saturating_sub(part(&self)) as f64 * 100.0 / all as f64
    }
}
