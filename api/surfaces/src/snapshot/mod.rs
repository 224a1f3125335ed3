//! State of an overlay or widget as its page gets it (reference/realtime.md#surfaces).

mod assets;
mod built_in;
mod bundle_tokens;
mod db;
mod layer;
mod stored;
mod uses;

use std::collections::HashMap;

use api_core::{
    Result, State,
    access::{AccountFeatures, SystemReason, account_features},
};
use diesel_async::AsyncPgConnection;
use foundation::events::OverlayKey;
use serde_json::{Map, Value, json};
use shared::{clock::rfc3339, id::AccountId};
use uuid::Uuid;

pub use uses::Uses;

use db::Settings;
use layer::Layer;
use stored::{Install, Source};

/// Number of events in a snapshot for layers that list them.
const MAX_RECENT_EVENTS: i64 = 50;
/// Largest size of all storages of a snapshot, in bytes of JSON.
const MAX_STORAGES_BYTES: usize = 4 * 1024 * 1024;

/// Overlay or widget of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Surface {
    /// Overlay, by its id.
    Overlay(Uuid),
    /// Widget, by its id.
    Widget(Uuid),
}

/// State of a surface.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Content of the snapshot event.
    pub data: Value,
    /// Events that its layers use.
    pub uses: Uses,
    /// True when a layer shows chat, and needs emotes.
    pub shows_chat: bool,
}

/// Id of the overlay with a key; `None` when the account has none.
///
/// # Errors
/// `DATABASE_ERROR` when the database fails.
pub async fn find_overlay(state: &State, account: AccountId, key: OverlayKey) -> Result<Option<Uuid>> {
    let access = state.system(SystemReason::Socket);
    let connection = &mut *access.db().await?;
    db::overlay_with_key(connection, account, key.as_str()).await
}

/// Reads the state of a surface; `None` when the account has no such one.
///
/// # Errors
/// `DATABASE_ERROR` when a database fails; 500 when Redis does.
pub async fn snapshot(state: &State, account: AccountId, surface: Surface) -> Result<Option<Snapshot>> {
    let features = account_features(state, account).await?;
    let access = state.system(SystemReason::Socket);
    let mut connection = access.db().await?;
    let settings = db::settings(&mut connection, account).await?;
    let Some(head) = head(&mut connection, account, surface, &settings).await? else { return Ok(None) };
    let installs = installs(&mut connection, account, &head.sources).await?;
    let layers = layers(state, &mut connection, head.sources, &installs, &features).await?;
    let links = foundation::media_links::MediaLinks::new(&state.config);
    let assets = assets::addresses(&mut connection, account, &links, state.clock.now(), &layers).await?;
    let bundle_tokens = bundle_tokens::issue(state, &mut connection, account, &installs).await?;
    drop(connection);
    let uses = layers.iter().map(Layer::uses).fold(Uses::default(), Uses::or);
    let mut data = head.data;
    data.insert("layers".to_owned(), serde_json::to_value(&layers)?);
    data.insert("storages".to_owned(), storages(&layers, installs));
    data.insert("alerts".to_owned(), settings.alerts());
    data.insert("assets".to_owned(), Value::Object(assets));
    data.insert("bundle_tokens".to_owned(), Value::Object(bundle_tokens));
    data.insert("recent_events".to_owned(), Value::Array(recent_events(state, account, &layers).await?));
    data.insert("now_playing".to_owned(), now_playing(state, account, uses).await?);
    data.insert("server_time".to_owned(), json!(rfc3339(state.clock.now())));
    Ok(Some(Snapshot { data: Value::Object(data), uses, shows_chat: layers.iter().any(Layer::shows_chat) }))
}

/// Fields of the surface itself, and its layers as they are stored.
struct Head {
    data: Map<String, Value>,
    sources: Vec<Source>,
}

async fn head(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    surface: Surface,
    settings: &Settings,
) -> Result<Option<Head>> {
    let mut data = Map::new();
    let sources = match surface {
        Surface::Overlay(id) => {
            let Some(overlay) = db::overlay(connection, account, id).await? else { return Ok(None) };
            data.insert("version".to_owned(), json!(overlay.version));
            data.insert("overlay".to_owned(), overlay.into_json(settings.is_default(id)));
            db::layers(connection, account, id).await?
        }
        Surface::Widget(id) => {
            let Some(widget) = db::widget(connection, account, id).await? else { return Ok(None) };
            data.insert("widget".to_owned(), widget.to_json());
            widget.into_source().into_iter().collect()
        }
    };
    Ok(Some(Head { data, sources }))
}

/// Installs of layers that run and have a layer, by id.
async fn installs(
    connection: &mut AsyncPgConnection,
    account: AccountId,
    sources: &[Source],
) -> Result<HashMap<Uuid, Install>> {
    let ids: Vec<Uuid> = sources.iter().filter_map(|source| source.install_id).collect();
    let installs = if ids.is_empty() { Vec::new() } else { db::installs(connection, account, ids).await? };
    Ok(installs.into_iter().map(|install| (install.id, install)).collect())
}

/// Layers that show: installs that run, built-in layers whose flag is on.
async fn layers(
    state: &State,
    connection: &mut AsyncPgConnection,
    sources: Vec<Source>,
    installs: &HashMap<Uuid, Install>,
    features: &AccountFeatures,
) -> Result<Vec<Layer>> {
    let needed = sources.iter().filter_map(Source::built_in).map(|widget| widget.extension_id);
    let built_in = built_in::versions(connection, needed.collect()).await?;
    let base = state.config.http.public_url.as_str().trim_end_matches('/');
    let draw = |source: Source| source.into_layer(installs, &built_in, features, base);
    Ok(sources.into_iter().filter_map(draw).collect())
}

/// Storage of each install with a layer that shows, once. Those beyond the largest size are left out: the page
/// then begins without, and gets the next change.
fn storages(layers: &[Layer], installs: HashMap<Uuid, Install>) -> Value {
    let mut size = 0;
    let mut storages = Map::new();
    for (id, install) in installs {
        let Some(value) = install.storage.filter(|_| layers.iter().any(|layer| layer.is_of(id))) else {
            continue;
        };
        size += value.to_string().len();
        if size > MAX_STORAGES_BYTES {
            break;
        }
        let version = install.storage_version.unwrap_or(0);
        storages.insert(id.to_string(), json!({ "value": value, "version": version }));
    }
    Value::Object(storages)
}

/// Latest events, oldest first, when a layer lists them.
async fn recent_events(state: &State, account: AccountId, layers: &[Layer]) -> Result<Vec<Value>> {
    if !layers.iter().any(Layer::lists_events) {
        return Ok(Vec::new());
    }
    let access = state.system(SystemReason::Socket);
    let connection = &mut *access.timeseries().await?;
    let mut events = db::recent_events(connection, account, MAX_RECENT_EVENTS).await?;
    events.reverse();
    Ok(events)
}

async fn now_playing(state: &State, account: AccountId, uses: Uses) -> Result<Value> {
    if !uses.music {
        return Ok(Value::Null);
    }
    Ok(live_model::music::now_playing(&state.redis, account).await?.unwrap_or(Value::Null))
}
