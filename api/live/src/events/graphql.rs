//! Events over GraphQL.

use api_core::{Cx, Result, graphql_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{EmitEventInput, Event, EventsFilter};

pub struct EventQueries;
pub struct EventMutations;

graphql_page! {
    /// One page of events.
    EventPage of Event
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl EventQueries {
    /// One page of the account's events, newest first.
    async fn events(ctx: &Cx, filter: Option<EventsFilter>) -> Result<EventPage> {
        Ok(super::events(ctx, Ok(filter.unwrap_or_default())).await?.into())
    }

    /// One event.
    async fn event(ctx: &Cx, id: Uuid) -> Result<Event> {
        super::event(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl EventMutations {
    /// Emit an event: it is stored, told and triggers what it triggers.
    async fn emit_event(ctx: &Cx, input: EmitEventInput) -> Result<Event> {
        super::emit_event(ctx, Ok(input)).await
    }
}
