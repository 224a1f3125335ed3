//! A field of a partial update: absent, null or a value (specification C §1, PATCH semantics).

use arcstr::ArcStr;
use juniper::{
    FromInputValue, GraphQLType, GraphQLValue, InputValue, Registry, ScalarValue, ToInputValue,
    macros::reflect, marker::IsInputType, meta::MetaType,
};
use serde::{Deserialize, Deserializer};

/// Absent leaves unchanged, null clears, a value sets. Use with `#[serde(default)]` and, for OpenAPI,
/// `#[schema(value_type = Option<T>)]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patch<T> {
    #[default]
    Absent,
    Null,
    Value(T),
}

impl<T> Patch<T> {
    /// Whether the field was not given.
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// `None` when absent, else the new value, which may be null: the form that a changeset takes.
    pub fn into_change(self) -> Option<Option<T>> {
        match self {
            Self::Absent => None,
            Self::Null => Some(None),
            Self::Value(value) => Some(Some(value)),
        }
    }

    /// Transforms the value.
    #[must_use]
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Absent => Patch::Absent,
            Self::Null => Patch::Null,
            Self::Value(value) => Patch::Value(f(value)),
        }
    }

    /// Transforms or refuses the value.
    ///
    /// # Errors
    /// What `f` answers.
    pub fn try_map<U, E>(self, f: impl FnOnce(T) -> Result<U, E>) -> Result<Patch<U>, E> {
        Ok(match self {
            Self::Absent => Patch::Absent,
            Self::Null => Patch::Null,
            Self::Value(value) => Patch::Value(f(value)?),
        })
    }

    /// For a field that may not be null: `None` when absent.
    ///
    /// # Errors
    /// 400 when the field is null.
    pub fn not_null(self, field: &str) -> crate::Result<Option<T>> {
        match self {
            Self::Absent => Ok(None),
            Self::Null => Err(crate::ApiError::invalid(format!("{field} cannot be null"))),
            Self::Value(value) => Ok(Some(value)),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(|given| given.map_or(Self::Null, Self::Value))
    }
}

impl<S, T: FromInputValue<S>> FromInputValue<S> for Patch<T> {
    type Error = T::Error;

    fn from_input_value(value: &InputValue<S>) -> Result<Self, Self::Error> {
        match value {
            InputValue::Null => Ok(Self::Null),
            value => T::from_input_value(value).map(Self::Value),
        }
    }

    fn from_implicit_null() -> Result<Self, Self::Error> {
        Ok(Self::Absent)
    }
}

impl<S, T: ToInputValue<S>> ToInputValue<S> for Patch<T> {
    fn to_input_value(&self) -> InputValue<S> {
        match self {
            Self::Value(value) => value.to_input_value(),
            Self::Absent | Self::Null => InputValue::Null,
        }
    }
}

// In both schemas the field looks like an optional one.

impl<S: ScalarValue, T: GraphQLType<S>> GraphQLType<S> for Patch<T> {
    fn name(_: &Self::TypeInfo) -> Option<ArcStr> {
        None
    }

    fn meta(info: &Self::TypeInfo, registry: &mut Registry<S>) -> MetaType<S> {
        registry.build_nullable_type::<T>(info).into_meta()
    }
}

impl<S: ScalarValue, T: GraphQLValue<S>> GraphQLValue<S> for Patch<T> {
    type Context = T::Context;
    type TypeInfo = T::TypeInfo;

    fn type_name(&self, _: &Self::TypeInfo) -> Option<ArcStr> {
        None
    }
}

impl<S: ScalarValue, T: IsInputType<S>> IsInputType<S> for Patch<T> {}

impl<S, T: reflect::BaseType<S>> reflect::BaseType<S> for Patch<T> {
    const NAME: reflect::Type = T::NAME;
}

impl<S, T: reflect::BaseSubTypes<S>> reflect::BaseSubTypes<S> for Patch<T> {
    const NAMES: reflect::Types = T::NAMES;
}

impl<S, T: reflect::WrappedType<S>> reflect::WrappedType<S> for Patch<T> {
    const VALUE: reflect::WrappedValue = T::VALUE * 10 + 2;
}
