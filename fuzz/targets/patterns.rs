#![no_main]

use libfuzzer_sys::fuzz_target;
use lumio_fuzz::{MIB, within};

// Beside the automata of the account's triggers: their caches, and the pattern compiled once more for
// comparison.
fuzz_target!(|input: &[u8]| within(96 * MIB, || properties::patterns::check(input)));
