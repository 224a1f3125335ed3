//! GraphQL fields of events.

use api_core::{Cx, Result, graphql_cursor_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{EmitEventInput, Event, EventsFilter};

/// Queries of events.
pub struct EventQueries;
/// Mutations of events.
pub struct EventMutations;

graphql_cursor_page! {
    /// One page of events.
    EventPage of Event
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl EventQueries {
    async fn events(ctx: &Cx, filter: Option<EventsFilter>) -> Result<EventPage> {
        Ok(super::events(ctx, Ok(filter.unwrap_or_default())).await?.into())
    }

    async fn event(ctx: &Cx, id: Uuid) -> Result<Event> {
        super::event(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl EventMutations {
    async fn emit_event(ctx: &Cx, input: EmitEventInput) -> Result<Event> {
        super::emit_event(ctx, Ok(input)).await
    }
}
