//! Signed addresses of the uploads and sounds that layers name in their settings.

use api_core::Result;
use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use foundation::media_links::{Media, MediaLinks};
use serde_json::{Map, Value};
use shared::id::AccountId;
use uuid::Uuid;

use super::{db, layer::Layer};

/// Largest number of files of a surface. Further ones have no address.
const MAX_ASSETS: usize = 500;

/// Address of each upload and sound of the account whose id is a text in the settings of a layer.
pub(super) async fn addresses(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    links: &MediaLinks,
    now: DateTime<Utc>,
    layers: &[Layer],
) -> Result<Map<String, Value>> {
    let mut named = Vec::new();
    for layer in layers {
        layer.config.values().for_each(|value| collect(value, &mut named));
    }
    named.sort_unstable();
    named.dedup();
    named.truncate(MAX_ASSETS);
    if named.is_empty() {
        return Ok(Map::new());
    }
    let mut addresses = Map::new();
    for media in db::media(connection, account, named).await? {
        let id = match media {
            Media::Sound(id)
            | Media::BundledSound { id, .. }
            | Media::Upload(id)
            | Media::AccountArchive(id) => id,
        };
        addresses.insert(id.to_string(), links.url(media, now).into());
    }
    Ok(addresses)
}

/// Collects the texts that are UUIDs, and the UUIDs that are alone in a line or between bars of a longer text.
fn collect(value: &Value, ids: &mut Vec<Uuid>) {
    match value {
        Value::String(text) => {
            let parts = text.split(['\n', '|']).map(str::trim).filter(|part| part.len() == 36);
            ids.extend(parts.filter_map(|part| Uuid::try_parse(part).ok()));
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, ids)),
        Value::Object(fields) => fields.values().for_each(|value| collect(value, ids)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn collect_finds_ids_at_any_depth() {
        let id = |n: u128| Uuid::from_u128(n);
        let config = json!({
            "image": id(1).to_string(),
            "list": [{ "sound": id(2).to_string() }],
            "variations": format!("100: Wow | {} | {}\n{}", id(3), id(4), id(5)),
            "text": "no id here", "number": 7,
        });
        let mut ids = Vec::new();
        collect(&config, &mut ids);
        ids.sort_unstable();
        assert_eq!(ids, (1..=5).map(id).collect::<Vec<_>>());
    }
}
