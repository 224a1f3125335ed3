//! Length and peaks of decoded samples (reference/media.md#peaks).

use super::Decoded;

/// Number of peaks of a sound (reference/media.md#peaks).
pub(super) const PEAKS: usize = 256;
/// Frames of which one peak is kept while the length is unknown.
const BLOCK_FRAMES: usize = 1024;

/// Peaks of blocks, and the length so far.
#[derive(Default)]
pub(super) struct Peaks {
    blocks: Vec<f32>,
    frames: u64,
    /// Frames of the last block.
    filled: usize,
    rate: u32,
}

impl Peaks {
    /// Adds the frames of a packet.
    pub fn add(&mut self, samples: &[f32], channels: usize, rate: u32) {
        self.rate = rate;
        for frame in samples.chunks_exact(channels) {
            let peak = frame.iter().fold(0.0_f32, |peak, sample| peak.max(sample.abs()));
            match self.blocks.last_mut() {
                Some(block) if self.filled < BLOCK_FRAMES => *block = block.max(peak),
                _ => {
                    self.blocks.push(peak);
                    self.filled = 0;
                }
            }
            self.filled += 1;
            self.frames += 1;
        }
    }

    /// Length so far.
    pub fn seconds(&self) -> u64 {
        self.frames / u64::from(self.rate.max(1))
    }

    /// Length and peaks; `None` for no frames at all.
    pub fn finish(self) -> Option<Decoded> {
        if self.frames == 0 || self.rate == 0 {
            return None;
        }
        let duration_ms = i64::try_from(self.frames * 1000 / u64::from(self.rate)).ok();
        let of = |place: usize| {
            let (from, to) = (place * self.blocks.len() / PEAKS, (place + 1) * self.blocks.len() / PEAKS);
            let blocks = &self.blocks[from..to.max(from + 1)];
            let peak = blocks.iter().fold(0.0_f32, |peak, block| peak.max(*block)).min(1.0);
            (f64::from(peak) * 1000.0).round() / 1000.0
        };
        Some(Decoded { duration_ms, waveform: Some((0..PEAKS).map(of).collect()) })
    }
}
