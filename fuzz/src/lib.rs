//! What the targets share: a count of the memory in use, so that a reader that takes more than its limits allow is
//! found also when the machine has it.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

pub const KIB: usize = 1024;
pub const MIB: usize = 1024 * KIB;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is the system allocator's; counting touches no memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let before = IN_USE.fetch_add(layout.size(), Relaxed);
        PEAK.fetch_max(before + layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Runs it and panics when it held more bytes at once than it may.
pub fn within<T>(most: usize, run: impl FnOnce() -> T) -> T {
    let before = IN_USE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = run();
    let held = PEAK.load(Relaxed).saturating_sub(before);
    assert!(held <= most, "{held} bytes were in use, {most} are allowed");
    result
}
