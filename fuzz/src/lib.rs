//! Common part of the targets: a count of the memory in use. It finds a reader that takes more than its
//! limits allow even when the machine has the memory.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// Bytes in a KiB.
pub const KIB: usize = 1024;
/// Bytes in a MiB.
pub const MIB: usize = 1024 * KIB;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call goes to the system allocator; counting touches no memory of the caller.
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

/// Runs a closure and panics when it held more bytes at once than `most`.
pub fn within<T>(most: usize, run: impl FnOnce() -> T) -> T {
    let before = IN_USE.load(Relaxed);
    PEAK.store(before, Relaxed);
    let result = run();
    let held = PEAK.load(Relaxed).saturating_sub(before);
    assert!(held <= most, "{held} bytes were in use, {most} are allowed");
    result
}
