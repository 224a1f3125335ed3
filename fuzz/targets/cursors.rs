#![no_main]

use libfuzzer_sys::fuzz_target;
use lumio_fuzz::{MIB, within};

fuzz_target!(|input: &[u8]| within(MIB + 64 * input.len(), || properties::cursors::check(input)));
