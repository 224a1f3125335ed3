/// Size of the compared blocks. Small blocks keep the delta small in memory; the cost of an invocation is the
/// pages that they touch.
const BLOCK_BYTES: usize = 512;

/// Changes that loading a handler module made in the linear memory of a fresh instance.
#[derive(Debug)]
pub(crate) struct Delta {
    memory_bytes: usize,
    runs: Vec<Run>,
}

#[derive(Debug)]
struct Run {
    offset: usize,
    bytes: Box<[u8]>,
}

impl Delta {
    /// Computes the difference between `base` and `loaded`, which is at least as long. Memory beyond the base
    /// counts as zero.
    pub(crate) fn between(base: &[u8], loaded: &[u8]) -> Self {
        let mut runs = Vec::new();
        let mut start = None;
        for (index, block) in loaded.chunks(BLOCK_BYTES).enumerate() {
            let offset = index * BLOCK_BYTES;
            match (is_changed(base, offset, block), start) {
                (true, None) => start = Some(offset),
                (false, Some(first)) => {
                    runs.push(Run { offset: first, bytes: loaded[first..offset].into() });
                    start = None;
                }
                _ => {}
            }
        }
        if let Some(first) = start {
            runs.push(Run { offset: first, bytes: loaded[first..].into() });
        }
        Self { memory_bytes: loaded.len(), runs }
    }

    /// Returns the size of the memory that [`Delta::apply`] needs.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.memory_bytes
    }

    /// Returns the size of the changed blocks.
    pub(crate) fn changed_bytes(&self) -> usize {
        self.runs.iter().map(|run| run.bytes.len()).sum()
    }

    /// Repeats the changes in the memory of a fresh instance.
    pub(crate) fn apply(&self, memory: &mut [u8]) {
        for run in &self.runs {
            memory[run.offset..run.offset + run.bytes.len()].copy_from_slice(&run.bytes);
        }
    }
}

fn is_changed(base: &[u8], offset: usize, block: &[u8]) -> bool {
    match base.get(offset..offset + block.len()) {
        Some(before) => before != block,
        None => {
            let known = base.get(offset..).unwrap_or_default();
            block[..known.len()] != *known || block[known.len()..].iter().any(|byte| *byte != 0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delta_restores_the_loaded_memory() {
        let base: Vec<u8> = (0..BLOCK_BYTES * 8).map(|i| (i % 251) as u8).collect();
        let mut loaded = base.clone();
        loaded[3] ^= 1;
        loaded[BLOCK_BYTES * 4..BLOCK_BYTES * 6].fill(7);
        loaded.resize(BLOCK_BYTES * 12, 0);
        loaded[BLOCK_BYTES * 10 + 5] = 9;

        let delta = Delta::between(&base, &loaded);
        let mut memory = base;
        memory.resize(delta.memory_bytes(), 0);
        delta.apply(&mut memory);

        assert_eq!(memory, loaded);
        assert_eq!(delta.changed_bytes(), BLOCK_BYTES * 4);
    }

    #[test]
    fn delta_of_unchanged_memory_is_empty() {
        let base = vec![1; BLOCK_BYTES * 3];

        assert_eq!(Delta::between(&base, &base).changed_bytes(), 0);
    }
}
