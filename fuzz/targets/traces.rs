#![no_main]

use libfuzzer_sys::fuzz_target;
use lumio_fuzz::{MIB, within};

// Beside the compiled patterns and their caches.
fuzz_target!(|input: &[u8]| within(16 * MIB + 64 * input.len(), || properties::traces::check(input)));
