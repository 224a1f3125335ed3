#![no_main]

use libfuzzer_sys::fuzz_target;
use lumio_fuzz::{MIB, within};
use properties::archive::{check, packed, read_only};

fuzz_target!(|input: &[u8]| {
    let archive = packed(input);
    // A batch of rows twice, because it grows; entries of the directory have their names and comments as texts.
    within(4 * MIB + 8 * archive.len(), || read_only(&archive));
    check(input);
});
