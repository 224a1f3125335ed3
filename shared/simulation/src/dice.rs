//! Random numbers that are the same for the same seed, on every machine and in every version: SplitMix64.

/// Sequence of numbers that is determined by its seed.
#[derive(Debug, Clone)]
pub(super) struct Dice(u64);

impl Dice {
    /// Sequence of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Next number.
    pub const fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Number of `lowest..=highest`.
    pub const fn between(&mut self, lowest: u64, highest: u64) -> u64 {
        lowest + self.roll() % (highest - lowest + 1)
    }

    /// True in the given percentage of cases.
    pub const fn happens(&mut self, percent: u64) -> bool {
        self.roll() % 100 < percent
    }

    /// Item of a list that is not empty.
    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.index(list.len())]
    }

    /// Index in a list of this length, which is not empty.
    pub fn index(&mut self, length: usize) -> usize {
        let length = u64::try_from(length).unwrap_or(u64::MAX);
        usize::try_from(self.roll() % length).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_follow_the_published_sequence() {
        // First numbers of SplitMix64 for the seed 1234567.
        let mut dice = Dice::new(1_234_567);
        assert_eq!(dice.roll(), 6_457_827_717_110_365_317);
        assert_eq!(dice.roll(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn dice_stay_within_their_bounds() {
        let mut dice = Dice::new(1);
        for _ in 0..1000 {
            assert!((3..=5).contains(&dice.between(3, 5)));
            assert!([1, 2].contains(&dice.pick(&[1, 2])));
        }
        assert!((0..1000).filter(|_| dice.happens(30)).count() > 200);
    }
}
