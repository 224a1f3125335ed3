//! Field of a partial update: absent, null or a value (reference/conventions.md#partial-updates).

use arcstr::ArcStr;
use juniper::{
    FromInputValue, GraphQLType, GraphQLValue, InputValue, Registry, ScalarValue, ToInputValue,
    macros::reflect, marker::IsInputType, meta::MetaType,
};
use serde::{Deserialize, Deserializer};

/// Field of a partial update. Absent keeps the stored value, null clears it, a value replaces it. Use with
/// `#[serde(default)]` and, for OpenAPI, `#[schema(value_type = Option<T>)]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patch<T> {
    /// Keeps the stored value.
    #[default]
    Absent,
    /// Clears the stored value.
    Null,
    /// Replaces the stored value.
    Value(T),
}

impl<T> Patch<T> {
    /// True when the field is absent.
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Converts to the form of a changeset: `None` when absent, else the new value or null.
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
    /// Errors of `f`.
    pub fn try_map<U, E>(self, f: impl FnOnce(T) -> Result<U, E>) -> Result<Patch<U>, E> {
        Ok(match self {
            Self::Absent => Patch::Absent,
            Self::Null => Patch::Null,
            Self::Value(value) => Patch::Value(f(value)?),
        })
    }

    /// Value of a field that cannot be null; `None` when absent.
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

// In both schemas the field is an optional one.

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
