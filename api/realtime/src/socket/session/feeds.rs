//! Subscriptions to the pages of overlays and widgets (reference/realtime.md#surfaces).

use bytes::Bytes;
use foundation::events::Channel;
use serde_json::value::RawValue;
use uuid::Uuid;

use super::{Session, encoded, no_events, unavailable};
use crate::{
    gates,
    hub::{FeedPlace, resume_feed},
    protocol::{ErrorCode, Refusal, ServerFrame},
};

impl Session {
    /// Adds the socket to the feed of a surface: the reply, the state, missed events, then live ones.
    pub(super) async fn attach_feed(
        &mut self,
        channel: Channel,
        name: &str,
        after: Option<Uuid>,
        request_id: Option<&RawValue>,
    ) -> Result<FeedPlace, Refusal> {
        let place = gates::place(&self.cx, channel).await.map_err(unavailable)?;
        let place = place.ok_or_else(gone)?;
        let feed = self.hub.feed(channel, place.account, place.surface).await.map_err(no_events)?;
        let feed = feed.ok_or_else(gone)?;
        let attached = feed.attach(&self.socket);
        let missed = match after {
            None => None,
            Some(cursor) => resume_feed(&self.hub, &feed, cursor).await.map_err(no_events)?,
        };
        let state = feed.snapshot_frame(&self.hub).await.map_err(no_events)?.ok_or_else(gone)?;
        let recovered = after.map(|_cursor| missed.is_some());
        let reply = encoded(&ServerFrame::Subscribed { channel: name, request_id, recovered });
        let mut frames: Vec<Bytes> = vec![reply.unwrap_or_default(), state];
        let ids = missed.map_or_else(Vec::new, |missed| {
            frames.extend(missed.frames);
            missed.ids
        });
        feed.release(&self.hub, &self.socket, frames, &ids);
        Ok(attached)
    }
}

/// Refusal of a surface that the account does not have: the same as without a right to it.
fn gone() -> Refusal {
    Refusal::new(ErrorCode::Unauthorized, "Not allowed to listen to this channel")
}
