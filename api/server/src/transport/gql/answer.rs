//! The shape of an answer: `{ data?, errors? }`, each error with its code (specification C §12).

use actix_web::http::StatusCode;
use api_core::{ApiError, Code};
use juniper::{GraphQLError, ParseError};
use serde::Serialize;
use serde_json::{Value, json};

use super::document::Executed;

/// What came of one operation.
#[derive(Serialize)]
pub struct Answer {
    #[serde(skip)]
    pub status: StatusCode,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<juniper::Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Value>,
}

/// Why an operation was not executed.
#[derive(Debug)]
pub struct Refusal {
    code: Code,
    errors: Vec<Value>,
}

impl Answer {
    /// What an execution brought.
    pub fn executed((data, errors): Executed) -> Self {
        let errors =
            errors.iter().filter_map(|error| serde_json::to_value(error).ok()).map(with_code).collect();
        Self { status: StatusCode::OK, data: Some(data), errors }
    }

    /// An execution that ended in an error of the server.
    pub fn failed(error: &ApiError) -> Self {
        Self { status: StatusCode::OK, data: Some(juniper::Value::Null), errors: vec![error_object(error)] }
    }

    /// A request that could not be read.
    pub fn refused(error: ApiError) -> Self {
        Refusal::from(error).into()
    }
}

impl From<Refusal> for Answer {
    fn from(Refusal { code, errors }: Refusal) -> Self {
        Self { status: code.status(), data: None, errors }
    }
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        Self { code: error.code, errors: vec![error_object(&error)] }
    }
}

impl From<GraphQLError> for Refusal {
    fn from(error: GraphQLError) -> Self {
        let code = match &error {
            GraphQLError::ParseError(error) => match error.item {
                ParseError::DepthLimitExceeded(_)
                | ParseError::TokenLimitExceeded(_)
                | ParseError::FieldLimitExceeded(_) => Code::QueryTooComplex,
                _ => Code::GraphqlParseFailed,
            },
            _ => Code::GraphqlValidationFailed,
        };
        // Already in the form that GraphQL specifies, but for the code.
        let errors = serde_json::to_value(&error).ok().and_then(|errors| errors.as_array().cloned());
        let errors = errors.unwrap_or_else(|| vec![json!({ "message": error.to_string() })]);
        let extensions = json!({ "code": code.as_str() });
        Self {
            code,
            errors: errors.into_iter().map(|error| with_extensions(error, extensions.clone())).collect(),
        }
    }
}

fn error_object(error: &ApiError) -> Value {
    json!({ "message": error.message, "extensions": error.extensions() })
}

/// An error without a code comes from juniper itself: a value of an argument that the schema admits and the type does
/// not.
fn with_code(error: Value) -> Value {
    if error.pointer("/extensions/code").is_some() {
        return error;
    }
    with_extensions(error, json!({ "code": Code::ValidationError.as_str() }))
}

fn with_extensions(mut error: Value, extensions: Value) -> Value {
    if let Some(fields) = error.as_object_mut() {
        fields.insert("extensions".to_owned(), extensions);
    }
    error
}
