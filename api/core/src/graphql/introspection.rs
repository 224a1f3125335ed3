//! Estimated size of an introspection response. Introspection reads no data and so has no cost; but nested
//! lists of types multiply.

use std::collections::HashMap;

use juniper::{DefaultScalarValue, Operation, OperationType, SchemaType, Selection, meta::MetaType};

/// Lists and non-null types around a type: deeper ones are always null.
const MAX_WRAPPERS: usize = 3;

/// Number of elements of each kind in a schema. Counted once for a schema.
#[derive(Debug, Default)]
pub struct Census {
    types: u64,
    objects: u64,
    fields: u64,
    max_fields: u64,
    arguments: u64,
    inputs: u64,
    input_fields: u64,
    enums: u64,
    enum_values: u64,
}

/// Object of a selection.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Of {
    /// One type that the document names, counted as the largest.
    Named,
    /// Every type.
    All,
    /// The type of a field or an argument, with the number of removed wrappers.
    Some(usize),
    Other,
}

pub(super) type Fragments<'d, 'a> = HashMap<&'a str, &'d Vec<Selection<'a>>>;

impl Census {
    /// Counts a schema.
    #[must_use]
    pub fn of(schema: &SchemaType<DefaultScalarValue>) -> Self {
        let mut census = Self::default();
        for meta in schema.concrete_type_list() {
            census.types += 1;
            match meta {
                MetaType::Object(object) => {
                    census.objects += 1;
                    census.fields += object.fields.len() as u64;
                    census.max_fields = census.max_fields.max(object.fields.len() as u64);
                    let arguments = object.fields.iter().filter_map(|field| field.arguments.as_ref());
                    census.arguments += arguments.map(|arguments| arguments.len() as u64).sum::<u64>();
                }
                MetaType::InputObject(object) => {
                    census.inputs += 1;
                    census.input_fields += object.input_fields.len() as u64;
                }
                MetaType::Enum(kind) => {
                    census.enums += 1;
                    census.enum_values += kind.values.len() as u64;
                }
                _ => {}
            }
        }
        census
    }

    /// Number of values in the introspection response of an operation. It follows every spread: their number
    /// must be known to be bounded.
    pub(super) fn answered(&self, root: &[Selection<'_>], fragments: &Fragments<'_, '_>) -> u64 {
        let fields = root.iter().map(|selection| match selection {
            Selection::Field(field) if matches!(field.item.name.item, "__schema" | "__type") => {
                let nested = field.item.selection_set.as_deref().unwrap_or_default();
                self.values(nested, fragments, Of::Named, 1)
            }
            Selection::Field(_) => 0,
            Selection::InlineFragment(inline) => self.answered(&inline.item.selection_set, fragments),
            Selection::FragmentSpread(spread) => {
                let known = fragments.get(spread.item.name.item);
                known.map_or(0, |selections| self.answered(selections, fragments))
            }
        });
        fields.fold(0, u64::saturating_add)
    }

    fn values(&self, selections: &[Selection<'_>], fragments: &Fragments<'_, '_>, of: Of, times: u64) -> u64 {
        let values = selections.iter().map(|selection| match selection {
            Selection::Field(field) => {
                let (times, of) = self.list(field.item.name.item, of, times);
                let nested = field.item.selection_set.as_deref().unwrap_or_default();
                times.saturating_add(self.values(nested, fragments, of, times))
            }
            Selection::InlineFragment(inline) => {
                self.values(&inline.item.selection_set, fragments, of, times)
            }
            Selection::FragmentSpread(spread) => {
                let known = fragments.get(spread.item.name.item);
                known.map_or(0, |selections| self.values(selections, fragments, of, times))
            }
        });
        values.fold(0, u64::saturating_add)
    }

    /// Number of times that a field occurs in the response, and its object.
    fn list(&self, field: &str, of: Of, times: u64) -> (u64, Of) {
        let share = |count: u64, among: u64| times.saturating_mul(count).div_ceil(among.max(1));
        match (field, of) {
            ("types", _) => (times.saturating_mul(self.types), Of::All),
            ("fields", Of::Named) => (times.saturating_mul(self.max_fields), Of::Other),
            ("fields", Of::All) => (share(self.fields, self.types), Of::Other),
            ("fields", _) => (share(self.fields, self.objects), Of::Other),
            ("args", _) => (share(self.arguments, self.fields), Of::Other),
            ("inputFields", Of::All) => (share(self.input_fields, self.types), Of::Other),
            ("inputFields", _) => (share(self.input_fields, self.inputs), Of::Other),
            ("enumValues", Of::All) => (share(self.enum_values, self.types), Of::Other),
            ("enumValues", _) => (share(self.enum_values, self.enums), Of::Other),
            ("queryType" | "mutationType" | "subscriptionType", _) => (times, Of::Named),
            ("type", _) => (times, Of::Some(0)),
            ("ofType", Of::Some(MAX_WRAPPERS..)) => (0, of),
            ("ofType", Of::Some(wrappers)) => (times, Of::Some(wrappers + 1)),
            ("interfaces" | "possibleTypes", _) => (0, Of::Other),
            _ => (times, Of::Other),
        }
    }
}

/// True for a query that selects nothing but introspection, and has neither variables nor directives. It follows every
/// spread: their number must be known to be bounded.
pub(super) fn introspects_only(
    operation: &Operation<'_, DefaultScalarValue>,
    fragments: &Fragments<'_, '_>,
) -> bool {
    operation.operation_type == OperationType::Query
        && operation.variables_definition.is_none()
        && operation.directives.is_none()
        && selects_introspection(&operation.selection_set, fragments)
        && has_no_directives(&operation.selection_set, fragments)
}

fn selects_introspection(root: &[Selection<'_>], fragments: &Fragments<'_, '_>) -> bool {
    root.iter().all(|selection| match selection {
        Selection::Field(field) => matches!(field.item.name.item, "__schema" | "__type" | "__typename"),
        Selection::InlineFragment(inline) => selects_introspection(&inline.item.selection_set, fragments),
        Selection::FragmentSpread(spread) => fragments
            .get(spread.item.name.item)
            .is_some_and(|selections| selects_introspection(selections, fragments)),
    })
}

fn has_no_directives(selections: &[Selection<'_>], fragments: &Fragments<'_, '_>) -> bool {
    selections.iter().all(|selection| {
        let (has_none, nested) = match selection {
            Selection::Field(field) => (field.item.directives.is_none(), field.item.selection_set.as_deref()),
            Selection::InlineFragment(inline) => {
                (inline.item.directives.is_none(), Some(inline.item.selection_set.as_slice()))
            }
            Selection::FragmentSpread(spread) => {
                let known = fragments.get(spread.item.name.item);
                (spread.item.directives.is_none(), known.map(|selections| selections.as_slice()))
            }
        };
        has_none && has_no_directives(nested.unwrap_or_default(), fragments)
    })
}
