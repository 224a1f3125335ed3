//! Shape of a GraphQL response: `{ data?, errors?, extensions? }`, each error with its code
//! (reference/graphql.md#answers).

use actix_web::{
    HttpResponse,
    http::{StatusCode, header},
};
use api_core::{
    ApiError, Code,
    graphql::{Bound, limits::MAX_ERRORS},
};
use juniper::{DefaultScalarValue, ExecutionError, GraphQLError, ParseError};
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};

use super::media_type::MediaType;

/// Data and errors of an execution.
pub type Executed = (juniper::Value, Vec<ExecutionError<DefaultScalarValue>>);

/// Outcome of one operation.
#[derive(Serialize)]
pub struct Answer {
    /// HTTP status of the response.
    #[serde(skip)]
    pub status: StatusCode,
    /// Seconds, for `Retry-After`.
    #[serde(skip)]
    retry_after: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Data>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extensions: Option<Value>,
}

/// Data of an answer.
#[derive(Serialize)]
#[serde(untagged)]
enum Data {
    Value(juniper::Value),
    Text(Box<RawValue>),
}

/// Reason why an operation was not executed.
#[derive(Debug, Clone)]
pub struct Refusal {
    status: StatusCode,
    retry_after: Option<u64>,
    errors: Vec<Value>,
}

/// Marks a response that has the shape of GraphQL already.
#[derive(Clone, Copy)]
pub struct Shaped;

impl Answer {
    /// Outcome of an execution.
    pub fn executed((data, errors): Executed) -> Self {
        let errors = errors.iter().take(MAX_ERRORS);
        let errors = errors.filter_map(|error| serde_json::to_value(error).ok()).map(with_code).collect();
        Self {
            status: StatusCode::OK,
            retry_after: None,
            data: Some(Data::Value(data)),
            errors,
            extensions: None,
        }
    }

    /// Outcome of introspection, as JSON text.
    pub fn introspected(data: Box<RawValue>) -> Self {
        let (data, errors) = (Some(Data::Text(data)), Vec::new());
        Self { status: StatusCode::OK, retry_after: None, data, errors, extensions: None }
    }

    /// Outcome of an execution that ended in an error of the server.
    pub fn failed(error: &ApiError) -> Self {
        let (data, errors) = (Some(Data::Value(juniper::Value::Null)), vec![error_object(error)]);
        Self { status: StatusCode::OK, retry_after: None, data, errors, extensions: None }
    }

    /// Adds the cost of the operation.
    pub fn with_cost(self, cost: u64) -> Self {
        let cost = json!({ "asked": cost, "allowed": Bound::Complexity.allowed() });
        Self { extensions: Some(json!({ "cost": cost })), ..self }
    }

    /// Status of the operation itself: that of the first error when a field has no value.
    pub fn operation_status(&self) -> StatusCode {
        let has_no_value = match &self.data {
            None | Some(Data::Value(juniper::Value::Null)) => true,
            Some(Data::Value(juniper::Value::Object(fields))) => {
                fields.iter().any(|(_, value)| value.is_null())
            }
            Some(_) => false,
        };
        let code = self.errors.first().and_then(|error| error.pointer("/extensions/code")?.as_str());
        match code.filter(|_| has_no_value) {
            Some(text) => {
                let code = Code::ALL.into_iter().find(|code| code.as_str() == text);
                code.map_or(StatusCode::INTERNAL_SERVER_ERROR, Code::status)
            }
            None => self.status,
        }
    }

    /// Response to a request of a single operation.
    pub fn respond(&self, media_type: MediaType) -> HttpResponse {
        respond(self.status, self.retry_after, media_type, self)
    }
}

impl Refusal {
    /// Outcome of an error that a layer returned in the form of REST: `{ error, message, details? }`.
    pub fn of_rest(status: StatusCode, body: &Value) -> Self {
        let mut error = json!({ "message": body["message"], "extensions": { "code": body["error"] } });
        if let Some(details) = body.get("details") {
            error["extensions"]["details"] = details.clone();
        }
        Self { status, retry_after: None, errors: vec![error] }
    }

    /// Approximate size in memory, in bytes.
    pub fn size(&self) -> usize {
        let texts = self.errors.iter().filter_map(|error| error["message"].as_str());
        texts.map(|text| text.len() + 512).sum()
    }

    /// True for an error of the request, false for a failure of the server.
    pub fn is_mistake(&self) -> bool {
        self.status == StatusCode::BAD_REQUEST
    }
}

/// Response to a batch.
pub fn respond_to_batch(answers: &[Answer], media_type: MediaType) -> HttpResponse {
    let executed = answers.iter().any(|answer| answer.status == StatusCode::OK);
    let refused = answers.first().map_or(StatusCode::OK, |answer| answer.status);
    let retry_after = answers.iter().find_map(|answer| answer.retry_after);
    respond(if executed { StatusCode::OK } else { refused }, retry_after, media_type, &answers)
}

fn respond(
    status: StatusCode,
    retry_after: Option<u64>,
    media_type: MediaType,
    body: &impl Serialize,
) -> HttpResponse {
    let mut response = HttpResponse::build(status);
    if let Some(seconds) = retry_after {
        response.insert_header((header::RETRY_AFTER, seconds.to_string()));
    }
    let mut response = response.content_type(media_type.as_str()).json(body);
    response.extensions_mut().insert(Shaped);
    response
}

impl From<Refusal> for Answer {
    fn from(Refusal { status, retry_after, errors }: Refusal) -> Self {
        // A refusal that the request did not cause has the shape of a failed operation
        // (reference/graphql.md#refusals-before-execution).
        let data = (!status.is_client_error() || status == StatusCode::TOO_MANY_REQUESTS)
            .then_some(juniper::Value::Null);
        Self { status, retry_after, data: data.map(Data::Value), errors, extensions: None }
    }
}

impl From<ApiError> for Refusal {
    fn from(error: ApiError) -> Self {
        Self {
            status: error.code.status(),
            retry_after: error.retry_after,
            errors: vec![error_object(&error)],
        }
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
        let error = match error {
            GraphQLError::ValidationError(mut errors) => {
                errors.truncate(MAX_ERRORS);
                GraphQLError::ValidationError(errors)
            }
            other => other,
        };
        // Already in the form that GraphQL specifies, except for the code.
        let errors = serde_json::to_value(&error).ok().and_then(|errors| errors.as_array().cloned());
        let errors = errors.unwrap_or_else(|| vec![json!({ "message": error.to_string() })]);
        let extensions = json!({ "code": code.as_str() });
        let errors = errors.into_iter().map(|error| with_extensions(error, extensions.clone())).collect();
        Self { status: code.status(), retry_after: None, errors }
    }
}

fn error_object(error: &ApiError) -> Value {
    json!({ "message": error.message, "extensions": error.extensions() })
}

/// Adds a code to an error without one. Such an error comes from juniper itself: the schema admits the value
/// of an argument and its type does not.
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

#[cfg(test)]
mod tests {
    use juniper::{ExecutionError, FieldError};

    use super::*;

    #[test]
    fn answer_of_an_operation_without_a_value_has_the_status_of_its_error() {
        let status = |value: juniper::Value, code: Option<Code>| {
            let data = juniper::Value::Object([("a", value)].into_iter().collect());
            let errors = code.map(|code| {
                ExecutionError::at_origin(juniper::IntoFieldError::into_field_error(ApiError::new(code, "x")))
            });
            Answer::executed((data, errors.into_iter().collect())).operation_status().as_u16()
        };
        let null = || juniper::Value::Null;
        for (code, expected) in [(Code::NotFound, 404), (Code::Conflict, 409), (Code::DatabaseError, 500)] {
            assert_eq!(status(null(), Some(code)), expected);
            assert_eq!(status(juniper::Value::scalar(1), Some(code)), 200, "another field has failed");
        }
        assert_eq!(status(null(), None), 200);
    }

    #[test]
    fn answer_of_an_executed_operation_has_at_most_a_hundred_errors() {
        let errors = |count: usize| {
            let errors = (0..count).map(|n| ExecutionError::at_origin(FieldError::from(n.to_string())));
            Answer::executed((juniper::Value::Null, errors.collect())).errors.len()
        };
        assert_eq!([errors(99), errors(100), errors(101), errors(1000)], [99, 100, 100, 100]);
    }
}
