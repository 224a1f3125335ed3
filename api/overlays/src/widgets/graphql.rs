//! GraphQL fields of `widgets`.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{CreateWidgetInput, UpdateWidgetInput, Widget, WidgetsQuery};

/// Query fields.
pub struct WidgetQueries;
/// Mutation fields.
pub struct WidgetMutations;

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl WidgetQueries {
    async fn widgets(
        ctx: &Cx,
        #[graphql(name = "type")] widget_type: Option<String>,
        search: Option<String>,
    ) -> Result<Vec<Widget>> {
        super::widgets(ctx, Ok(WidgetsQuery { widget_type, search })).await
    }

    async fn widget(ctx: &Cx, id: Uuid) -> Result<Widget> {
        super::widget(ctx, Ok(id)).await
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl WidgetMutations {
    async fn create_widget(ctx: &Cx, input: CreateWidgetInput) -> Result<Widget> {
        super::create_widget(ctx, Ok(input)).await
    }

    async fn update_widget(ctx: &Cx, id: Uuid, input: UpdateWidgetInput) -> Result<Widget> {
        super::update_widget(ctx, Ok(id), Ok(input)).await
    }

    async fn delete_widget(ctx: &Cx, id: Uuid) -> Result<bool> {
        super::delete_widget(ctx, Ok(id)).await.map(|()| true)
    }

    async fn duplicate_widget(ctx: &Cx, id: Uuid) -> Result<Widget> {
        super::duplicate_widget(ctx, Ok(id)).await
    }

    async fn rotate_widget_token(ctx: &Cx, id: Uuid) -> Result<Widget> {
        super::rotate_widget_token(ctx, Ok(id)).await
    }
}
