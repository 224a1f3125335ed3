//! Processes of this machine with those that they have started.

use std::{fs, time::Duration};

use anyhow::Result;

use crate::measure::{ended_children_time, processor_time};

/// The process that started a process; `None` once that has ended.
#[must_use]
pub fn parent(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name before the last parenthesis may hold anything.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

/// The processes that a process has started.
pub(crate) fn children(of: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").expect("the kernel's processes");
    let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    ids.filter(|id| parent(*id) == Some(of)).collect()
}

/// User and system time of a process, of its children, and of those that have ended.
///
/// # Errors
/// An error when the process has ended.
pub fn tree_time(pid: u32) -> Result<Duration> {
    let own = processor_time(pid)? + ended_children_time(pid)?;
    // The time of one that ends meanwhile is in the next figure of its parent.
    Ok(own + children(pid).into_iter().filter_map(|child| processor_time(child).ok()).sum::<Duration>())
}
