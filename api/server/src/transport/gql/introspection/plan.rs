//! Plans of introspection: what an operation selects, with its fragments and arguments resolved.

use std::collections::HashMap;

use juniper::{DefaultScalarValue, Definition, InputValue, Operation, Selection, Spanning};

/// Approximate size of a field with its names, in bytes.
const FIELD_SIZE: usize = 256;

/// Fields at the root of an operation, in the order of the response.
#[derive(Debug)]
pub struct Plan(pub(super) Vec<(Key, Root)>);

/// Name in the response, as JSON text with its colon.
pub(super) type Key = String;

/// Field at the root.
#[derive(Debug)]
pub(super) enum Root {
    Typename,
    Schema(Fields),
    Type { name: String, fields: Fields },
}

/// Selection of an object.
#[derive(Debug)]
pub(super) struct Fields {
    pub of: Meta,
    pub fields: Vec<(Key, Field)>,
}

/// Field of an object.
#[derive(Debug)]
pub(super) enum Field {
    Typename,
    Value { name: String },
    Objects { name: String, with_deprecated: bool, fields: Fields },
}

/// Types of introspection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meta {
    Schema,
    Type,
    Field,
    InputValue,
    EnumValue,
    Directive,
}

impl Meta {
    /// Name of the type.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Schema => "__Schema",
            Self::Type => "__Type",
            Self::Field => "__Field",
            Self::InputValue => "__InputValue",
            Self::EnumValue => "__EnumValue",
            Self::Directive => "__Directive",
        }
    }

    /// Type of the objects of a field; `None` for a scalar.
    pub fn of_field(field: &str) -> Option<Self> {
        Some(match field {
            "types" | "queryType" | "mutationType" | "subscriptionType" | "type" | "ofType"
            | "interfaces" | "possibleTypes" => Self::Type,
            "fields" => Self::Field,
            "args" | "inputFields" => Self::InputValue,
            "enumValues" => Self::EnumValue,
            "directives" => Self::Directive,
            _ => return None,
        })
    }
}

type Argument<'a> = (Spanning<&'a str>, Spanning<InputValue>);

type Fragments<'d, 'a> = HashMap<&'a str, &'d [Selection<'a>]>;

/// Fields of one name in the response: they are merged.
struct Merged<'d, 'a> {
    key: &'a str,
    name: &'a str,
    arguments: &'d [Argument<'a>],
    selections: Vec<&'d [Selection<'a>]>,
}

impl Plan {
    /// Compiles a valid operation that only introspects (`Measured::introspects_only`).
    pub fn of(document: &[Definition<'_, DefaultScalarValue>], operation: Option<&str>) -> Self {
        let fragments = fragments_of(document);
        let selections = find(document, operation).map_or(&[][..], |operation| &operation.selection_set);
        let merged = merge(&[selections], &fragments);
        Self(merged.iter().map(|field| (key(field.key), root(field, &fragments))).collect())
    }

    /// Approximate size in memory, in bytes. Fragments count wherever they are spread, so that it may be a multiple of
    /// the document's.
    pub fn size(&self) -> usize {
        let fields = self.0.iter().map(|(_, root)| match root {
            Root::Typename => 1,
            Root::Schema(fields) | Root::Type { fields, .. } => 1 + fields.count(),
        });
        fields.sum::<usize>() * FIELD_SIZE
    }
}

impl Fields {
    fn count(&self) -> usize {
        let fields = self.fields.iter().map(|(_, field)| match field {
            Field::Typename | Field::Value { .. } => 1,
            Field::Objects { fields, .. } => 1 + fields.count(),
        });
        fields.sum()
    }
}

fn root(field: &Merged<'_, '_>, fragments: &Fragments<'_, '_>) -> Root {
    match field.name {
        "__schema" => Root::Schema(fields(Meta::Schema, &field.selections, fragments)),
        "__type" => {
            let name = argument(field, "name").and_then(|name| name.convert().ok()).unwrap_or_default();
            Root::Type { name, fields: fields(Meta::Type, &field.selections, fragments) }
        }
        _ => Root::Typename,
    }
}

fn fields<'a>(of: Meta, selections: &[&[Selection<'a>]], fragments: &Fragments<'_, 'a>) -> Fields {
    let merged = merge(selections, fragments);
    let planned = merged.iter().map(|field| {
        let name = field.name.to_owned();
        let planned = match Meta::of_field(field.name) {
            _ if field.name == "__typename" => Field::Typename,
            None => Field::Value { name },
            Some(of) => {
                let with_deprecated =
                    argument(field, "includeDeprecated").and_then(|given| given.convert().ok());
                let with_deprecated = with_deprecated.unwrap_or_default();
                Field::Objects { name, with_deprecated, fields: fields(of, &field.selections, fragments) }
            }
        };
        (key(field.key), planned)
    });
    Fields { of, fields: planned.collect() }
}

fn argument<'d>(field: &Merged<'d, '_>, name: &str) -> Option<&'d InputValue> {
    let mut arguments = field.arguments.iter();
    arguments.find(|(given, _)| given.item == name).map(|(_, value)| &value.item)
}

/// Collects the fields of some selections of one object, in the order of their first use.
fn merge<'d, 'a>(selections: &[&'d [Selection<'a>]], fragments: &Fragments<'d, 'a>) -> Vec<Merged<'d, 'a>> {
    let mut merge = Merge { fragments, merged: Vec::new(), places: HashMap::new() };
    for selections in selections {
        merge.add(selections);
    }
    merge.merged
}

struct Merge<'f, 'd, 'a> {
    fragments: &'f Fragments<'d, 'a>,
    merged: Vec<Merged<'d, 'a>>,
    /// Place of each key among the merged fields.
    places: HashMap<&'a str, usize>,
}

impl<'d, 'a> Merge<'_, 'd, 'a> {
    fn add(&mut self, selections: &'d [Selection<'a>]) {
        for selection in selections {
            match selection {
                Selection::Field(field) => {
                    let name = field.item.name.item;
                    let key = field.item.alias.as_ref().map_or(name, |alias| alias.item);
                    let place = *self.places.entry(key).or_insert_with(|| {
                        let arguments =
                            field.item.arguments.as_ref().map(|given| given.item.items.as_slice());
                        let arguments = arguments.unwrap_or_default();
                        self.merged.push(Merged { key, name, arguments, selections: Vec::new() });
                        self.merged.len() - 1
                    });
                    self.merged[place].selections.extend(field.item.selection_set.as_deref());
                }
                Selection::InlineFragment(inline) => self.add(&inline.item.selection_set),
                Selection::FragmentSpread(spread) => {
                    if let Some(selections) = self.fragments.get(spread.item.name.item) {
                        self.add(selections);
                    }
                }
            }
        }
    }
}

/// JSON text of a name, which has only letters, digits and underscores.
fn key(name: &str) -> Key {
    format!("\"{name}\":")
}

fn find<'d, 'a>(
    document: &'d [Definition<'a, DefaultScalarValue>],
    name: Option<&str>,
) -> Option<&'d Operation<'a, DefaultScalarValue>> {
    document.iter().rev().find_map(|definition| match definition {
        Definition::Operation(candidate) => {
            let candidate = &candidate.item;
            let is_named = candidate.name.as_ref().map(|name| name.item) == name;
            (name.is_none() || is_named).then_some(candidate)
        }
        Definition::Fragment(_) => None,
    })
}

fn fragments_of<'d, 'a>(document: &'d [Definition<'a, DefaultScalarValue>]) -> Fragments<'d, 'a> {
    let fragments = document.iter().filter_map(|definition| match definition {
        Definition::Fragment(fragment) => {
            Some((fragment.item.name.item, fragment.item.selection_set.as_slice()))
        }
        Definition::Operation(_) => None,
    });
    fragments.collect()
}
