//! GraphQL over HTTP (reference/graphql.md#requests).

mod answer;
mod document;
mod introspection;
mod media_type;
mod operation;
mod request;
mod shape;
mod threads;

use std::sync::Arc;

use actix_web::{
    HttpRequest, HttpResponse, get, post,
    web::{Data, Payload},
};
use api_core::{
    ApiError, Cx,
    access::Principal,
    http::{caught, rate_key_of},
};
use serde_json::Value;
use utoipa::ToSchema;

use answer::{Answer, Refusal, respond_to_batch};
pub use document::Documents;
use document::Outcome;
use media_type::MediaType;
use request::{GraphqlRequest, Requested, count, requested};
pub use shape::graphql_shape;

use super::prepared;

const PATH: &str = "/v1/gql";

/// Outcome of one operation.
#[derive(ToSchema)]
#[expect(dead_code, reason = "documents the shape of the answer")]
struct GraphqlAnswer {
    #[schema(value_type = Option<Object>)]
    data: Value,
    /// Each has `message`, `locations`, `path` and `extensions.code`. Absent when there are none; at most
    /// 100.
    #[schema(value_type = Option<Vec<Object>>)]
    errors: Value,
    /// Cost of the operation: `{ cost: { asked, allowed } }`; absent when it was not executed.
    #[schema(value_type = Option<Object>)]
    extensions: Value,
}

/// Executes a GraphQL operation.
///
/// In development the body may be a JSON array of at most ten operations; each counts as a request. A field
/// requires the permissions of its operation.
#[utoipa::path(tag = "transport", operation_id = "graphql", request_body = GraphqlRequest,
    responses(
        (status = 200, description = "The operation was executed; each field that failed has an error.", body = GraphqlAnswer),
        (status = 400, description = "The document cannot be executed.", body = GraphqlAnswer),
        (status = 401, description = "The document cannot be executed, and the credential is not valid.", body = GraphqlAnswer),
        (status = 409, description = "The `Idempotency-Key` was used with another body, or its request runs or has an unknown outcome.", body = GraphqlAnswer),
        (status = 429, description = "Too many requests; `Retry-After` holds the seconds to wait.", body = GraphqlAnswer),
        (status = 500, description = "A failure of the server before execution.", body = GraphqlAnswer),
    ))]
#[post("/v1/gql")]
pub async fn graphql(
    cx: Cx,
    request: HttpRequest,
    body: Payload,
    documents: Data<Documents>,
) -> HttpResponse {
    let media_type = MediaType::accepted(request.headers());
    match requested(&cx, &request, body).await {
        Err(error) => refused(&cx, error.into()).respond(media_type),
        Ok(Requested::One(operation)) => answer(&cx, &documents, operation).await.respond(media_type),
        Ok(Requested::Batch(_)) if cx.has_idempotency_key() => {
            refused(&cx, several_fields().into()).respond(media_type)
        }
        Ok(Requested::Batch(operations)) => {
            let mut answers = Vec::with_capacity(operations.len());
            for operation in operations {
                // Yields to other requests: execution without a wait may take long.
                tokio::task::yield_now().await;
                answers.push(answer(&cx, &documents, operation).await);
            }
            respond_to_batch(&answers, media_type)
        }
    }
}

/// The schema in the schema definition language.
#[utoipa::path(tag = "transport", operation_id = "graphqlSchema",
    responses((status = 200, description = "The schema.", content_type = "text/plain", body = String),
        (status = 304, description = "The client has it already.")))]
#[get("/v1/schema")]
pub async fn graphql_schema(request: HttpRequest) -> HttpResponse {
    prepared::graphql_schema().respond(&request)
}

/// Executes one operation.
async fn answer(cx: &Cx, documents: &Arc<Documents>, request: GraphqlRequest) -> Answer {
    match execute(cx, documents, request).await {
        Ok(answer) => answer,
        Err(refusal) => refused(cx, refusal),
    }
}

/// The credential is checked before the document: with an invalid one an error of the document is 401
/// (reference/graphql.md#document-errors).
fn refused(cx: &Cx, refusal: Refusal) -> Answer {
    let is_bad_credential = matches!(cx.principal(), Principal::Anonymous { refused: true });
    if is_bad_credential && refusal.is_mistake() {
        return Refusal::from(cx.unauthorized()).into();
    }
    refusal.into()
}

async fn execute(cx: &Cx, documents: &Arc<Documents>, request: GraphqlRequest) -> Result<Answer, Refusal> {
    let caller = rate_key_of(cx.principal(), cx.request().ip);
    let document = documents.get(&caller, request.query, request.operation_name).await?;
    let variables = request.variables.unwrap_or_default();
    let cost = documents.check_cost(&document, &variables)?;
    count(cx, document.requests() - 1).await?;
    check_key(cx, document.mutation_fields())?;
    let variables = documents.coerce(&document, variables);
    let answer = match caught(documents.execute(&document, &variables, cx)).await {
        Ok(outcome) => match outcome? {
            Outcome::Executed(executed) => Answer::executed(executed),
            Outcome::Introspected(data) => Answer::introspected(data),
        },
        Err(panicked) => Answer::failed(&panicked),
    };
    cx.report_status(answer.operation_status());
    Ok(answer.with_cost(cost))
}

/// Checks that an `Idempotency-Key` belongs to one operation. Queries have no effect
/// (reference/graphql.md#idempotency).
fn check_key(cx: &Cx, mutation_fields: usize) -> Result<(), Refusal> {
    match mutation_fields {
        0 => cx.ignore_idempotency_key(),
        1 => {}
        _ if cx.has_idempotency_key() => return Err(several_fields().into()),
        _ => {}
    }
    Ok(())
}

fn several_fields() -> ApiError {
    ApiError::invalid("Idempotency-Key needs exactly one mutation field")
}
