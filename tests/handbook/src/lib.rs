//! The handbook of `docs`: its pages, its links and its code blocks.

pub mod blocks;
pub mod book;
pub mod check;
pub mod markdown;
pub mod pages;
pub mod scripts;

#[cfg(test)]
mod tests;
