//! Scalars that GraphQL lacks: 64-bit integers and JSON.

use arcstr::ArcStr;
use juniper::{
    BoxFuture, DefaultScalarValue, ExecutionResult, Executor, FieldError, FromInputValue, GraphQLScalar,
    GraphQLType, GraphQLValue, GraphQLValueAsync, InputValue, ParseScalarResult, ParseScalarValue, Registry,
    ScalarToken, ScalarValue, Selection, ToInputValue, Value, macros::reflect, marker, meta::MetaType,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Whole number of 64 bits, written as a number (docs/reference/billing.md#64-bit-numbers).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, GraphQLScalar, ToSchema,
)]
#[serde(transparent)]
#[graphql(
    name = "Int64",
    description = "A whole number of 64 bits.",
    to_output_with = int64_out,
    from_input_with = int64_in,
    parse_token(i32, f64, String),
)]
pub struct Int64(pub i64);

#[expect(clippy::cast_precision_loss, reason = "JSON numbers of GraphQL are doubles; ours stay below 2^53")]
fn int64_out<S: ScalarValue>(value: &Int64) -> S {
    i32::try_from(value.0).map_or_else(|_too_large| S::from(value.0 as f64), S::from)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "checked to be whole and within the exact range of a double"
)]
fn int64_in<S: ScalarValue>(value: &juniper::Scalar<S>) -> Result<Int64, String> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if let Some(small) = value.try_to_int() {
        return Ok(Int64(i64::from(small)));
    }
    match value.try_to_float() {
        Some(number) if number.fract() == 0.0 && number.abs() <= EXACT => Ok(Int64(number as i64)),
        _ => Err("Expected a whole number".to_owned()),
    }
}

/// Any JSON value. Output is nested. Input is nested through variables (see the request's coercion) or JSON
/// text.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = Object)]
pub struct Json(pub serde_json::Value);

/// Name of the scalar of any JSON value.
pub struct JsonNames;

impl JsonNames {
    /// Name in the schema.
    pub const SCALAR: &'static str = "JSON";
}

/// Converts a JSON value to a juniper value.
pub fn json_value<S: ScalarValue>(value: &serde_json::Value) -> Value<S> {
    use serde_json::Value as J;
    match value {
        J::Null => Value::Null,
        J::Bool(flag) => Value::Scalar(S::from(*flag)),
        J::Number(number) => {
            let small = number.as_i64().and_then(|whole| i32::try_from(whole).ok());
            Value::Scalar(small.map_or_else(|| S::from(number.as_f64().unwrap_or_default()), S::from))
        }
        J::String(text) => Value::Scalar(S::from(text.clone())),
        J::Array(items) => Value::List(items.iter().map(json_value).collect()),
        J::Object(fields) => {
            Value::Object(fields.iter().map(|(name, field)| (name.as_str(), json_value(field))).collect())
        }
    }
}

/// Parses a scalar. Text is JSON text: the request's coercion passes nested values through validation in this
/// form. A text that is not JSON is a JSON string.
fn from_scalar(scalar: &DefaultScalarValue) -> serde_json::Value {
    if let Some(text) = scalar.try_to_string() {
        return serde_json::from_str(&text).unwrap_or(serde_json::Value::String(text));
    }
    if let Some(flag) = scalar.try_to_bool() {
        return flag.into();
    }
    scalar.try_to_int().map_or_else(|| scalar.try_to_float().into(), serde_json::Value::from)
}

impl FromInputValue for Json {
    type Error = FieldError;

    fn from_input_value(value: &InputValue) -> Result<Self, FieldError> {
        match value {
            InputValue::Scalar(scalar) => Ok(Self(from_scalar(scalar))),
            InputValue::Null => Ok(Self(serde_json::Value::Null)),
            _ => Err("Expected JSON in a variable".into()),
        }
    }
}

impl ToInputValue for Json {
    fn to_input_value(&self) -> InputValue {
        InputValue::scalar(self.0.to_string())
    }
}

impl ParseScalarValue for Json {
    fn from_str(token: ScalarToken<'_>) -> ParseScalarResult<DefaultScalarValue> {
        match token {
            ScalarToken::Int(_) => <i32 as ParseScalarValue>::from_str(token),
            ScalarToken::Float(_) => <f64 as ParseScalarValue>::from_str(token),
            ScalarToken::String(_) => <String as ParseScalarValue>::from_str(token),
        }
    }
}

impl GraphQLType for Json {
    fn name(_: &()) -> Option<ArcStr> {
        Some(arcstr::literal!("JSON"))
    }

    fn meta(info: &(), registry: &mut Registry) -> MetaType {
        registry.build_scalar_type::<Self>(info).description("Any JSON value.").into_meta()
    }
}

impl GraphQLValue for Json {
    type Context = ();
    type TypeInfo = ();

    fn type_name(&self, info: &()) -> Option<ArcStr> {
        <Self as GraphQLType>::name(info)
    }

    fn resolve(&self, _: &(), _: Option<&[Selection]>, _: &Executor<()>) -> ExecutionResult {
        Ok(json_value(&self.0))
    }
}

impl GraphQLValueAsync for Json {
    fn resolve_async<'a>(
        &'a self,
        info: &'a (),
        selection: Option<&'a [Selection]>,
        executor: &'a Executor<()>,
    ) -> BoxFuture<'a, ExecutionResult> {
        let resolved = self.resolve(info, selection, executor);
        Box::pin(async move { resolved })
    }
}

impl marker::IsOutputType<DefaultScalarValue> for Json {}
impl marker::IsInputType<DefaultScalarValue> for Json {}
impl reflect::BaseType<DefaultScalarValue> for Json {
    const NAME: reflect::Type = JsonNames::SCALAR;
}
impl reflect::BaseSubTypes<DefaultScalarValue> for Json {
    const NAMES: reflect::Types = &[JsonNames::SCALAR];
}
impl reflect::WrappedType<DefaultScalarValue> for Json {
    const VALUE: reflect::WrappedValue = 1;
}
