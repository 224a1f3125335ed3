//! Events over GraphQL.

use api_core::{Cx, Page, Result};
use juniper::{GraphQLObject, graphql_object};
use uuid::Uuid;

use super::{EmitEventInput, Event, EventsFilter};

pub struct EventQueries;
pub struct EventMutations;

/// One page of events.
#[derive(GraphQLObject)]
#[graphql(scalar = juniper::DefaultScalarValue)]
pub struct EventPage {
    items: Vec<Event>,
    total: i32,
    page: i32,
    limit: i32,
    pages: i32,
}

impl From<Page<Event>> for EventPage {
    fn from(page: Page<Event>) -> Self {
        let number = |number: i64| i32::try_from(number).unwrap_or(i32::MAX);
        Self {
            total: number(page.total),
            page: number(page.window.page),
            limit: number(page.window.limit),
            pages: number(page.pages()),
            items: page.items,
        }
    }
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
