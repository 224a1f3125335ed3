//! Predictions over GraphQL.

use api_core::{Cx, Page, PageRequest, Result};
use juniper::{GraphQLObject, graphql_object};
use uuid::Uuid;

use super::{CreatePredictionInput, EndPredictionInput, Prediction};

pub struct PredictionQueries;
pub struct PredictionMutations;

/// One page of predictions.
#[derive(GraphQLObject)]
pub struct PredictionPage {
    items: Vec<Prediction>,
    total: i32,
    page: i32,
    limit: i32,
    pages: i32,
}

impl From<Page<Prediction>> for PredictionPage {
    fn from(page: Page<Prediction>) -> Self {
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

#[graphql_object(context = Cx)]
impl PredictionQueries {
    /// One page of the account's predictions, newest first.
    async fn predictions(ctx: &Cx, page: Option<i32>, limit: Option<i32>) -> Result<PredictionPage> {
        let page = PageRequest { page: page.map(i64::from), limit: limit.map(i64::from) };
        Ok(super::predictions(ctx, Ok(page)).await?.into())
    }
}

#[graphql_object(context = Cx)]
impl PredictionMutations {
    /// Begin a prediction on the account's channel.
    async fn create_prediction(ctx: &Cx, input: CreatePredictionInput) -> Result<Prediction> {
        super::create_prediction(ctx, Ok(input)).await
    }

    /// Lock, resolve or cancel a prediction.
    async fn end_prediction(ctx: &Cx, id: Uuid, input: EndPredictionInput) -> Result<Prediction> {
        super::end_prediction(ctx, Ok(id), Ok(input)).await
    }
}
