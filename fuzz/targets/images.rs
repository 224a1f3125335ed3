#![no_main]

use libfuzzer_sys::fuzz_target;
use lumio_fuzz::{MIB, within};

fuzz_target!(|input: &[u8]| within(MIB, || properties::images::check(input)));
