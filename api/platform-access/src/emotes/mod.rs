//! Emotes of channels and servers (reference/chat.md#emotes).

mod db;
mod scope;
mod sets;

pub use scope::EmoteScope;
pub use sets::{ProviderEmotes, emotes_of, emotes_of_account, emotes_of_others};
