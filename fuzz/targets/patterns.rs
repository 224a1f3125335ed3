#![no_main]

use libfuzzer_sys::fuzz_target;
use lumio_fuzz::{MIB, within};

// Beside what the account's triggers hold: the caches of the automata and the pattern compiled once more to compare.
fuzz_target!(|input: &[u8]| within(96 * MIB, || properties::patterns::check(input)));
