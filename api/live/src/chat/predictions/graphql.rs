//! GraphQL fields of predictions.

use api_core::{CursorRequest, Cx, Result, graphql_cursor_page};
use juniper::graphql_object;
use uuid::Uuid;

use super::{CreatePredictionInput, EndPredictionInput, Prediction};

/// Queries of predictions.
pub struct PredictionQueries;
/// Mutations of predictions.
pub struct PredictionMutations;

graphql_cursor_page! {
    /// One page of predictions.
    PredictionPage of Prediction
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PredictionQueries {
    async fn predictions(
        ctx: &Cx,
        page: Option<i32>,
        limit: Option<i32>,
        cursor: Option<String>,
    ) -> Result<PredictionPage> {
        let page = CursorRequest::new(page, limit, cursor);
        Ok(super::predictions(ctx, Ok(page)).await?.into())
    }
}

#[graphql_object(context = Cx, scalar = juniper::DefaultScalarValue)]
impl PredictionMutations {
    async fn create_prediction(ctx: &Cx, input: CreatePredictionInput) -> Result<Prediction> {
        super::create_prediction(ctx, Ok(input)).await
    }

    async fn end_prediction(ctx: &Cx, id: Uuid, input: EndPredictionInput) -> Result<Prediction> {
        super::end_prediction(ctx, Ok(id), Ok(input)).await
    }
}
