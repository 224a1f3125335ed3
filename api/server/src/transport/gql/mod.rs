//! GraphQL over HTTP (specification A §4.1, C §12).

mod answer;
mod document;

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::{StatusCode, header},
    post,
    web::{Bytes, Data, Payload},
};
use api_core::{
    ApiError, Cx, Result,
    graphql::limits,
    http::{JSON_LIMIT, parse, read},
};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use answer::{Answer, Refusal};
pub use document::Documents;

use crate::{graphql::schema, layers};

/// One operation as it arrives.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct GraphqlRequest {
    /// A document in the GraphQL language.
    query: String,
    /// Which operation of the document to execute, when it has several.
    #[serde(default)]
    operation_name: Option<String>,
    /// Values of the variables by name; any JSON where the schema says `JSON`.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    variables: Option<Map<String, Value>>,
}

/// What came of one operation.
#[derive(ToSchema)]
#[expect(dead_code, reason = "documents the shape of the answer")]
struct GraphqlAnswer {
    #[schema(value_type = Option<Object>)]
    data: Value,
    /// Each with `message`, `locations`, `path` and `extensions.code`; absent when there are none.
    #[schema(value_type = Option<Vec<Object>>)]
    errors: Value,
}

/// Execute a GraphQL operation, or a JSON array of at most ten. Fields ask for what their operation asks for.
#[utoipa::path(tag = "transport", operation_id = "graphql", request_body = GraphqlRequest,
    responses((status = 200, body = GraphqlAnswer)))]
#[post("/v1/gql")]
pub async fn graphql(
    cx: Cx,
    request: HttpRequest,
    body: Payload,
    documents: Data<Documents>,
) -> HttpResponse {
    let operations = match requested(&request, body).await {
        Ok(operations) => operations,
        Err(error) => return respond(error.code.status(), &Answer::refused(error)),
    };
    match operations {
        Requested::One(operation) => {
            let answer = answer(&cx, &documents, operation).await;
            respond(answer.status, &answer)
        }
        Requested::Batch(operations) => {
            let mut answers = Vec::with_capacity(operations.len());
            for operation in operations {
                answers.push(answer(&cx, &documents, operation).await);
            }
            let executed = answers.iter().any(|answer| answer.status == StatusCode::OK);
            let refused = answers.first().map_or(StatusCode::OK, |answer| answer.status);
            respond(if executed { StatusCode::OK } else { refused }, &answers)
        }
    }
}

/// The schema in the schema definition language.
#[utoipa::path(tag = "transport", operation_id = "graphqlSchema",
    responses((status = 200, content_type = "text/plain", body = String)))]
#[get("/v1/schema")]
pub async fn graphql_schema() -> HttpResponse {
    HttpResponse::Ok()
        .content_type("text/plain; charset=utf-8")
        .insert_header((header::CONTENT_DISPOSITION, "attachment; filename=\"schema.graphql\""))
        .body(schema(false).as_sdl())
}

enum Requested {
    One(GraphqlRequest),
    Batch(Vec<GraphqlRequest>),
}

async fn requested(request: &HttpRequest, body: Payload) -> Result<Requested> {
    // A form of another site cannot send this type without asking first (CORS), so it cannot use the popout's cookie.
    let given =
        request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if given.split(';').next().map(str::trim) != Some("application/json") {
        return Err(ApiError::bad_request("Content-Type must be application/json"));
    }
    let declared =
        request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let body: Bytes = read(&mut body.into_inner(), declared, JSON_LIMIT).await?;
    if body.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'[') {
        return parse(&body).map(Requested::One);
    }
    let operations: Vec<GraphqlRequest> = parse(&body)?;
    match operations.len() {
        0 => Err(ApiError::bad_request("A batch must hold at least one operation")),
        asked if asked > limits::BATCH => {
            Err(limits::too_complex("batch", limits::BATCH as u64, asked as u64))
        }
        _ => Ok(Requested::Batch(operations)),
    }
}

/// Executes one operation.
async fn answer(cx: &Cx, documents: &Documents, request: GraphqlRequest) -> Answer {
    match execute(cx, documents, request).await {
        Ok(answer) => answer,
        Err(refusal) => Answer::from(refusal),
    }
}

async fn execute(cx: &Cx, documents: &Documents, request: GraphqlRequest) -> Result<Answer, Refusal> {
    let document = documents.get(request.query, request.operation_name.as_deref())?;
    let variables = request.variables.unwrap_or_default();
    document.measured().check_cost(&variables)?;
    let variables = documents.coerce(&document, variables);
    match layers::caught(document.execute(&variables, cx)).await {
        Ok(executed) => Ok(Answer::executed(executed?)),
        Err(panicked) => Ok(Answer::failed(&panicked)),
    }
}

fn respond(status: StatusCode, answer: &impl serde::Serialize) -> HttpResponse {
    HttpResponse::build(status).json(answer)
}
