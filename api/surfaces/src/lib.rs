//! Overlays and widgets beyond their own domain: access of members to single ones, and their state as pages get
//! it (reference/overlays.md#access, reference/realtime.md#surfaces).

mod emotes;
pub mod object_access;
mod snapshot;

pub use emotes::word_emotes;
pub use snapshot::{Snapshot, Surface, Uses, find_overlay, snapshot};
