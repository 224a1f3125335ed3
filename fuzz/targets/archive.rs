#![no_main]

use libfuzzer_sys::fuzz_target;
use lumio_fuzz::{MIB, within};
use properties::archive::{check, packed, read_only};

fuzz_target!(|input: &[u8]| {
    let archive = packed(input);
    // A batch of rows twice, because it grows; the entries of the directory are larger than its bytes.
    within(4 * MIB + 64 * archive.len(), || read_only(&archive));
    check(input);
});
