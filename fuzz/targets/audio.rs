#![no_main]

use libfuzzer_sys::fuzz_target;
use lumio_fuzz::{MIB, within};

fuzz_target!(|input: &[u8]| within(MIB + 4 * input.len(), || properties::audio::check(input)));
