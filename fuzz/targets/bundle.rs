#![no_main]

use libfuzzer_sys::fuzz_target;
use lumio_fuzz::{MIB, within};
use properties::bundle::{check, packed, read_only};

fuzz_target!(|input: &[u8]| {
    let archive = packed(input);
    within(2 * MIB, || read_only(&archive));
    within(32 * MIB + 8 * input.len(), || check(input));
});
