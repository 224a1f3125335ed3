//! What accounts may use.

mod features;
