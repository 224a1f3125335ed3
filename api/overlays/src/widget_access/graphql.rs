//! GraphQL fields of `widget_access`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::WidgetAccessEntry;
use surfaces::object_access::{AccessCandidate, SetAccessInput};

/// Query fields.
pub struct WidgetAccessQueries;
/// Mutation fields.
pub struct WidgetAccessMutations;

#[graphql_object(context = Cx)]
impl WidgetAccessQueries {
    async fn widget_access(ctx: &Cx, widget_id: Uuid) -> Result<Vec<WidgetAccessEntry>> {
        super::widget_access(ctx, Ok(widget_id)).await
    }

    async fn widget_access_candidates(ctx: &Cx, widget_id: Uuid) -> Result<Vec<AccessCandidate>> {
        super::widget_access_candidates(ctx, Ok(widget_id)).await
    }
}

#[graphql_object(context = Cx)]
impl WidgetAccessMutations {
    async fn set_widget_access(
        ctx: &Cx,
        widget_id: Uuid,
        user_id: Uuid,
        input: SetAccessInput,
    ) -> Result<WidgetAccessEntry> {
        super::set_widget_access(ctx, Ok(widget_id), Ok(user_id), Ok(input)).await
    }

    async fn remove_widget_access(ctx: &Cx, widget_id: Uuid, user_id: Uuid) -> Result<bool> {
        super::remove_widget_access(ctx, Ok(widget_id), Ok(user_id)).await.map(|()| true)
    }
}
