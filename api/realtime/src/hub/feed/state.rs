//! State of a surface in this process: read after each change, once for all sockets.

use std::{
    collections::HashMap,
    sync::{Arc, Weak, atomic::Ordering},
    time::Duration,
};

use bytes::Bytes;
use foundation::events::Channel;
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Map, Value, json, value::to_raw_value};
use surfaces::{Snapshot, Surface, snapshot, word_emotes};
use tokio::{sync::Notify, time::Instant};
use uuid::Uuid;

use super::{Feed, Hub, Unavailable};
use crate::{hub::Attached, protocol::ServerFrame, socket::Signal};

/// Time for which sockets that come together share one reading. Addresses of files in it stay valid for
/// minutes.
const SHARING_TIME: Duration = Duration::from_secs(2);
/// Shortest time between two readings, so that many changes at once cost one.
const MIN_READ_INTERVAL: Duration = Duration::from_millis(100);
/// Time that a state waits for emotes.
const EMOTES_TIMEOUT: Duration = Duration::from_millis(800);
const RETRY_DELAY: Duration = Duration::from_secs(1);
/// Attempts to join a topic, which may end between join and attach.
const MAX_ATTACH_ATTEMPTS: usize = 3;
const MAX_CONCURRENT_JOINS: usize = 16;

/// State that was read last.
#[derive(Default)]
pub(super) struct Current {
    snapshot: Option<Snapshot>,
    /// Its frame, for sockets that come together.
    frame: Option<Bytes>,
    /// Number of changes that the state includes.
    changes: u64,
    read_at: Option<Instant>,
    /// Channels that the feed listens to.
    sources: HashMap<Channel, Attached>,
}

/// Reads the state after each change and sends the difference, until the feed has ended.
pub(super) async fn follow(hub: Hub, feed: Weak<Feed>, changed: Arc<Notify>) {
    loop {
        // Also ends after the last socket, when nothing changes any more.
        let _late = tokio::time::timeout(Duration::from_secs(30), changed.notified()).await;
        let Some(feed) = feed.upgrade() else { return };
        if feed.is_current().await {
            continue;
        }
        if feed.refresh(&hub).await.is_err() {
            tokio::time::sleep(RETRY_DELAY).await;
            feed.changed.notify_one();
        }
        drop(feed);
        tokio::time::sleep(MIN_READ_INTERVAL).await;
    }
}

impl Feed {
    /// Listens to the sources. False when the account has no such surface.
    pub(super) async fn prepare(self: &Arc<Self>, hub: &Hub) -> Result<bool, Unavailable> {
        let mut current = self.current.lock().await;
        if current.snapshot.is_some() {
            return Ok(true);
        }
        self.listen(hub, &mut current, self.own_sources()).await?;
        self.read(hub, &mut current).await
    }

    /// Frame of the whole state, read now or moments ago. `None` when the surface is gone.
    ///
    /// # Errors
    /// An error when the state cannot be read.
    pub async fn snapshot_frame(self: &Arc<Self>, hub: &Hub) -> Result<Option<Bytes>, Unavailable> {
        let mut current = self.current.lock().await;
        let is_recent = current.read_at.is_some_and(|at| at.elapsed() < SHARING_TIME);
        if !(is_recent && current.changes == self.changes.load(Ordering::SeqCst)) {
            self.reread(hub, &mut current).await?;
        }
        let Current { snapshot: Some(snapshot), frame: cached, .. } = &mut *current else { return Ok(None) };
        if cached.is_none() {
            let (name, _) = self.names();
            *cached = frame(hub, &self.label, name, &snapshot.data).map(|(_, frame)| frame);
        }
        Ok(cached.clone())
    }

    /// Channels whose events the pages may have missed.
    pub(super) async fn relayed_sources(&self) -> Vec<Channel> {
        let current = self.current.lock().await;
        let is_relayed = |channel: &&Channel| {
            matches!(
                channel,
                Channel::Events(_)
                    | Channel::Chat(_)
                    | Channel::Spotify(_)
                    | Channel::Sounds(_)
                    | Channel::ExtStorage(_)
            )
        };
        current.sources.keys().filter(is_relayed).copied().collect()
    }

    async fn is_current(&self) -> bool {
        self.current.lock().await.changes == self.changes.load(Ordering::SeqCst)
    }

    async fn refresh(self: &Arc<Self>, hub: &Hub) -> Result<(), Unavailable> {
        let mut current = self.current.lock().await;
        self.reread(hub, &mut current).await
    }

    /// Reads the state again and sends the difference to the sockets.
    async fn reread(self: &Arc<Self>, hub: &Hub, current: &mut Current) -> Result<(), Unavailable> {
        let before = current.snapshot.take();
        if !self.read(hub, current).await.inspect_err(|_| current.snapshot.clone_from(&before))? {
            // The gates find that the surface is gone.
            self.signal(Signal::Rights);
            return Ok(());
        }
        if let (Some(before), Some(after)) = (before, &current.snapshot) {
            for (name, data) in self.difference(&before.data, &after.data) {
                if let Some((id, frame)) = frame(hub, &self.label, name, &data) {
                    let mut due = Vec::new();
                    self.listeners.queue(hub, id, &frame, &mut due);
                    due.iter().for_each(|socket| socket.flush());
                }
            }
        }
        Ok(())
    }

    /// Reads the state. False when the account has no such surface.
    async fn read(self: &Arc<Self>, hub: &Hub, current: &mut Current) -> Result<bool, Unavailable> {
        let changes = self.changes.load(Ordering::SeqCst);
        let mut snapshot = self.load(hub).await?;
        if let Some(found) = &snapshot {
            self.listeners.set_uses(found.uses);
            // Storage of an install may have changed before the feed listened to it.
            if self.listen(hub, current, self.wanted_sources(found)).await? {
                snapshot = self.load(hub).await?;
            }
        }
        let is_there = snapshot.is_some();
        (current.snapshot, current.frame) = (snapshot, None);
        current.changes = changes;
        current.read_at = Some(Instant::now());
        Ok(is_there)
    }

    async fn load(self: &Arc<Self>, hub: &Hub) -> Result<Option<Snapshot>, Unavailable> {
        // A change that affects many surfaces does not take every database connection.
        let permit = hub.feed_reads.acquire().await;
        let loaded = snapshot(&hub.state, self.account, self.surface).await;
        drop(permit);
        let loaded = loaded.map_err(|error| {
            tracing::warn!(code = ?error.code, channel = self.label, "the state of a surface cannot be read");
            Unavailable
        })?;
        let Some(mut snapshot) = loaded else { return Ok(None) };
        snapshot.data["emotes"] =
            if snapshot.shows_chat { Value::Object(self.emotes(hub).await) } else { Value::Null };
        Ok(Some(snapshot))
    }

    /// Emotes of the account. Those of slow providers come with the next state, which is read when they are
    /// there.
    async fn emotes(self: &Arc<Self>, hub: &Hub) -> Map<String, Value> {
        let (state, account) = (hub.state.clone(), self.account);
        let mut reading = tokio::spawn(async move { word_emotes(&state, account).await });
        match tokio::time::timeout(EMOTES_TIMEOUT, &mut reading).await {
            Ok(Ok(Ok(emotes))) => emotes,
            Ok(failed) => {
                tracing::warn!(?failed, channel = self.label, "emotes cannot be read");
                Map::new()
            }
            Err(_late) => {
                let feed = Arc::downgrade(self);
                hub.spawn(async move {
                    let _read = reading.await;
                    if let Some(feed) = feed.upgrade() {
                        feed.count_change();
                    }
                });
                Map::new()
            }
        }
    }

    /// Listens to exactly these sources. True when one is new.
    async fn listen(
        self: &Arc<Self>,
        hub: &Hub,
        current: &mut Current,
        wanted: Vec<Channel>,
    ) -> Result<bool, Unavailable> {
        current.sources.retain(|channel, _| wanted.contains(channel));
        let missing = wanted.into_iter().filter(|channel| !current.sources.contains_key(channel));
        let attached: Vec<(Channel, Attached)> = stream::iter(missing.collect::<Vec<_>>())
            .map(async |channel| Ok((channel, self.attach_to(hub, channel).await?)))
            .buffer_unordered(MAX_CONCURRENT_JOINS)
            .try_collect()
            .await?;
        let is_new = !attached.is_empty();
        current.sources.extend(attached);
        Ok(is_new)
    }

    async fn attach_to(self: &Arc<Self>, hub: &Hub, channel: Channel) -> Result<Attached, Unavailable> {
        for _ in 0..MAX_ATTACH_ATTEMPTS {
            if let Some(attached) = hub.join(channel).await?.attach_feed(self) {
                return Ok(attached);
            }
        }
        Err(Unavailable)
    }

    /// Channels that say when the state changes, and those that every surface uses.
    fn own_sources(&self) -> Vec<Channel> {
        let account = self.account.uuid();
        let own = match self.surface {
            Surface::Overlay(id) => Channel::OverlayEditor(id),
            Surface::Widget(id) => Channel::Widget(id),
        };
        vec![own, Channel::Account(account), Channel::Extensions(account), Channel::Sounds(account)]
    }

    fn wanted_sources(&self, snapshot: &Snapshot) -> Vec<Channel> {
        let account = self.account.uuid();
        let uses = snapshot.uses;
        let mut wanted = self.own_sources();
        let by_use = [
            (uses.events, Channel::Events(account)),
            (uses.chat, Channel::Chat(account)),
            (uses.music, Channel::Spotify(account)),
        ];
        wanted.extend(by_use.into_iter().filter(|(is_used, _)| *is_used).map(|(_, channel)| channel));
        let layers = snapshot.data["layers"].as_array().into_iter().flatten();
        let installs = layers.filter_map(|layer| layer["install"]["id"].as_str()?.parse().ok());
        wanted.extend(installs.map(Channel::ExtStorage));
        wanted.sort_unstable_by_key(ToString::to_string);
        wanted.dedup();
        wanted
    }

    /// Names of the events of the whole state: after a subscription, and after a change.
    const fn names(&self) -> (&'static str, &'static str) {
        match self.surface {
            Surface::Overlay(_) => ("overlay:snapshot", "overlay:layers_updated"),
            Surface::Widget(_) => ("widget:snapshot", "widget:updated"),
        }
    }

    /// Events that bring a page from one state to another.
    fn difference(&self, before: &Value, after: &Value) -> Vec<(&'static str, Value)> {
        let (snapshot, updated) = self.names();
        if matches!(self.surface, Surface::Widget(_)) {
            let is_same =
                ["widget", "layers", "alerts", "emotes"].iter().all(|key| before[key] == after[key]);
            return if is_same { Vec::new() } else { vec![(updated, after.clone())] };
        }
        if before["alerts"] != after["alerts"] || before["emotes"] != after["emotes"] {
            return vec![(snapshot, after.clone())];
        }
        let mut events = Vec::new();
        if without_version(&before["overlay"]) != without_version(&after["overlay"]) {
            events.push(("overlay:updated", overlay_updated(after)));
        }
        if before["layers"] != after["layers"] {
            events.push(
                visibility(before, after)
                    .map_or_else(|| (updated, without_emotes(after)), |data| ("layer:visibility", data)),
            );
        }
        events
    }
}

fn without_version(overlay: &Value) -> Value {
    let mut overlay = overlay.clone();
    if let Some(fields) = overlay.as_object_mut() {
        fields.remove("version");
    }
    overlay
}

/// The state without the emotes, which are many and unchanged.
fn without_emotes(state: &Value) -> Value {
    let mut state = state.clone();
    if let Some(fields) = state.as_object_mut() {
        fields.remove("emotes");
    }
    state
}

fn overlay_updated(after: &Value) -> Value {
    json!({
        "overlay_id": after["overlay"]["id"],
        "version": after["version"],
        "change": "overlay",
        "layer_id": null,
        "user_id": null,
        "overlay": after["overlay"],
    })
}

/// Content of `layer:visibility` when one layer came or went and nothing else changed.
fn visibility(before: &Value, after: &Value) -> Option<Value> {
    let (old, new) = (before["layers"].as_array()?, after["layers"].as_array()?);
    let (longer, shorter) = if old.len() < new.len() { (new, old) } else { (old, new) };
    if longer.len() != shorter.len() + 1 {
        return None;
    }
    let place = longer.iter().zip(shorter).take_while(|(one, other)| one == other).count();
    if longer[place + 1..] != shorter[place..] {
        return None;
    }
    let visible = old.len() < new.len();
    let layer = &longer[place];
    Some(json!({
        "version": after["version"],
        "layer_id": layer["id"],
        "visible": visible,
        "layer": if visible { layer.clone() } else { Value::Null },
        "assets": after["assets"],
        "storages": after["storages"],
        "bundle_tokens": after["bundle_tokens"],
    }))
}

/// A frame that only pages of the surface get, with a new id.
fn frame(hub: &Hub, channel: &str, event_type: &str, data: &Value) -> Option<(Uuid, Bytes)> {
    let id = shared::id::new();
    let write = || {
        let (event_type, data) = (to_raw_value(event_type)?, to_raw_value(data)?);
        let timestamp = to_raw_value(&shared::clock::rfc3339(hub.state.clock.now()))?;
        ServerFrame::Event { channel, event_type: &event_type, data: &data, id, timestamp: &timestamp }
            .encode()
    };
    let frame = write().inspect_err(|error: &serde_json::Error| {
        tracing::error!(%error, channel, "a frame could not be written");
    });
    Some((id, frame.ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(layers: &[Value]) -> Value {
        json!({ "version": 3, "layers": layers, "assets": {}, "alerts": {}, "overlay": { "id": "o", "version": 3 } })
    }

    #[test]
    fn visibility_is_one_layer_that_came_or_went() {
        let layer = |id: &str| json!({ "id": id, "x": 1 });
        let (a, b, c) = (layer("a"), layer("b"), layer("c"));
        let both = state(&[a.clone(), b.clone()]);
        let all = state(&[a.clone(), c.clone(), b.clone()]);
        let shown = visibility(&both, &all).unwrap();
        assert_eq!((&shown["layer_id"], &shown["visible"], &shown["layer"]), (&json!("c"), &json!(true), &c));
        let hidden = visibility(&all, &both).unwrap();
        assert_eq!((&hidden["layer_id"], &hidden["visible"]), (&json!("c"), &json!(false)));
        assert!(hidden["layer"].is_null());
        assert!(visibility(&state(&[b.clone(), a.clone()]), &all).is_none(), "the order changed too");
        assert!(visibility(&both, &state(&[a, c])).is_none(), "another layer");
        assert_eq!(visibility(&state(&[]), &state(std::slice::from_ref(&b))).unwrap()["layer"], b);
    }
}
