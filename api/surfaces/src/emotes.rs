//! Emotes that are words of messages: those of 7TV, BTTV and FFZ. Platforms mark their own in the message.

use api_core::{Result, State};
use platform_access::emotes::emotes_of_account;
use platforms::emotes::EmoteProvider;
use serde_json::{Map, Value};
use shared::id::AccountId;

/// Largest number of emotes of an account.
const MAX_EMOTES: usize = 3000;

/// Addresses of the pictures by word, of all providers whose emotes are words. An account's own emote goes
/// before a global one of the same name.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn word_emotes(state: &State, account: AccountId) -> Result<Map<String, Value>> {
    let found = emotes_of_account(state, account).await?;
    let is_of_words =
        |provider| matches!(provider, EmoteProvider::SevenTv | EmoteProvider::Bttv | EmoteProvider::Ffz);
    let emotes = found.into_iter().filter(|found| is_of_words(found.provider)).flat_map(|found| found.emotes);
    // Later sets are those of channels.
    Ok(emotes.take(MAX_EMOTES).map(|emote| (emote.name, Value::String(emote.url))).collect())
}
