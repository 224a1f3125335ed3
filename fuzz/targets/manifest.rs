#![no_main]

use libfuzzer_sys::fuzz_target;
use lumio_fuzz::{MIB, within};

fuzz_target!(|input: &[u8]| within(64 * MIB + 256 * input.len(), || properties::manifest::check(input)));
