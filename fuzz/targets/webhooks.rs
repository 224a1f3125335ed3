#![no_main]

use libfuzzer_sys::fuzz_target;
use lumio_fuzz::{MIB, within};

fuzz_target!(|input: &[u8]| within(8 * MIB + 1024 * input.len(), || properties::webhooks::check(input)));
