//! Number of rows of a field: the largest `limit` of its arguments, as a literal, as a variable, or within an
//! object that is either.

use std::collections::{HashMap, HashSet};

use juniper::{
    DefaultScalarValue, InputValue, ScalarValue, SchemaType, Spanning,
    meta::{Argument, InputObjectMeta, MetaType},
};
use serde_json::{Map, Value};

/// Rows that cost as much as one field.
const ROWS_PER_COST_UNIT: u64 = 10;
/// Rows of a page without a limit.
const DEFAULT_PAGE_SIZE: u64 = 25;
/// Rows that fields without a limit are counted with: the samples of a session may be tens of thousands.
const LONG_LISTS: [(&str, u64); 2] = [("streamReportStats", 600), ("samples", 600)];

/// Places at which a schema takes limits. Built once for a schema.
#[derive(Debug, Default)]
pub struct Pages {
    /// Fields with a limit among their arguments.
    fields: HashSet<String>,
    /// By input object that holds a limit: the fields that are one (`None`) or hold one (the object's name).
    objects: HashMap<String, HashMap<String, Option<String>>>,
}

/// Declaration of a variable of an operation.
#[derive(Debug)]
pub(super) struct Declared<'d> {
    /// Name of the innermost type.
    pub type_name: &'d str,
    /// Default value; `None` without one.
    pub default: Option<&'d InputValue>,
}

/// Number of rows, or a variable that holds it.
#[derive(Debug, Clone)]
pub(super) enum Rows {
    Given(u64),
    Variable {
        name: String,
        /// The input object that the variable holds; `None` when it is the number itself.
        object: Option<String>,
        default: Option<u64>,
    },
}

impl Pages {
    /// Finds the places in a schema.
    #[must_use]
    pub fn of(schema: &SchemaType<DefaultScalarValue>) -> Self {
        let types = schema.concrete_type_list();
        let inputs: Vec<&InputObjectMeta<DefaultScalarValue>> = types
            .iter()
            .filter_map(|meta| if let MetaType::InputObject(object) = meta { Some(object) } else { None })
            .collect();
        let mut pages = Self::default();
        // Objects that hold objects that hold limits: until nothing new is found.
        loop {
            let found: HashMap<_, _> = inputs
                .iter()
                .map(|object| (object.name.to_string(), pages.within(&object.input_fields)))
                .filter(|(_, fields)| !fields.is_empty())
                .collect();
            if found.len() == pages.objects.len() {
                pages.objects = found;
                break;
            }
            pages.objects = found;
        }
        for meta in types {
            let MetaType::Object(object) = meta else { continue };
            let paged = object.fields.iter().filter(|field| {
                field.arguments.as_ref().is_some_and(|arguments| !pages.within(arguments).is_empty())
            });
            let paged: Vec<String> = paged.map(|field| field.name.to_string()).collect();
            pages.fields.extend(paged);
        }
        pages
    }

    fn within(&self, arguments: &[Argument<DefaultScalarValue>]) -> HashMap<String, Option<String>> {
        let holding = arguments.iter().filter_map(|argument| {
            let name = argument.name.to_string();
            if is_limit(&name) {
                return Some((name, None));
            }
            let object = argument.arg_type.innermost_name();
            self.objects.contains_key(object).then(|| (name, Some(object.to_owned())))
        });
        holding.collect()
    }

    /// Rows of a field; empty for a field that is no page.
    pub(super) fn asked(
        &self,
        field: &str,
        arguments: &[(Spanning<&str>, Spanning<InputValue>)],
        declared: &HashMap<&str, Declared<'_>>,
    ) -> Vec<Rows> {
        let mut rows = Vec::new();
        for (name, value) in arguments {
            self.collect(is_limit(name.item), &value.item, declared, &mut rows);
        }
        if rows.is_empty() && self.fields.contains(field) {
            rows.push(Rows::Given(DEFAULT_PAGE_SIZE));
        }
        if rows.is_empty()
            && let Some((_, long)) = LONG_LISTS.iter().find(|(name, _)| *name == field)
        {
            rows.push(Rows::Given(*long));
        }
        rows
    }

    fn collect(
        &self,
        is_limit_itself: bool,
        value: &InputValue,
        declared: &HashMap<&str, Declared<'_>>,
        rows: &mut Vec<Rows>,
    ) {
        match value {
            InputValue::Scalar(scalar) if is_limit_itself => rows.push(Rows::Given(number(scalar))),
            InputValue::Variable(name) => rows.extend(self.of_variable(is_limit_itself, name, declared)),
            InputValue::Object(fields) => {
                for (name, value) in fields {
                    self.collect(is_limit(&name.item), &value.item, declared, rows);
                }
            }
            InputValue::List(items) => {
                for item in items {
                    self.collect(is_limit_itself, &item.item, declared, rows);
                }
            }
            _ => {}
        }
    }

    fn of_variable(
        &self,
        is_limit_itself: bool,
        name: &str,
        declared: &HashMap<&str, Declared<'_>>,
    ) -> Option<Rows> {
        let declared = declared.get(name);
        let object =
            declared.map(|declared| declared.type_name).filter(|name| self.objects.contains_key(*name));
        if !is_limit_itself && object.is_none() {
            return None;
        }
        let default = declared.and_then(|declared| declared.default);
        let mut rows = Vec::new();
        if let Some(default) = default {
            self.collect(is_limit_itself, default, &HashMap::new(), &mut rows);
        }
        let default = rows.iter().filter_map(|rows| rows.number(self, &Map::new())).max();
        Some(Rows::Variable { name: name.to_owned(), object: object.map(str::to_owned), default })
    }

    /// Largest limit in a value of an input object.
    fn largest(&self, object: &str, value: &Value) -> Option<u64> {
        match value {
            Value::Array(items) => items.iter().filter_map(|item| self.largest(object, item)).max(),
            Value::Object(given) => {
                let known = self.objects.get(object)?;
                let limits = given.iter().filter_map(|(name, value)| match known.get(name)? {
                    None => value.as_u64(),
                    Some(object) => self.largest(object, value),
                });
                limits.max()
            }
            _ => None,
        }
    }
}

impl Rows {
    fn number(&self, pages: &Pages, variables: &Map<String, Value>) -> Option<u64> {
        match self {
            Self::Given(rows) => Some(*rows),
            Self::Variable { name, object, default } => match (variables.get(name), object) {
                (None | Some(Value::Null), _) => *default,
                (Some(value), Some(object)) => pages.largest(object, value),
                // The operation refuses a value that is not a number of rows.
                (Some(value), None) => Some(value.as_u64().unwrap_or(1)),
            },
        }
    }
}

/// Factor of the selections below a field. A limit that is not given counts as the default page.
pub(super) fn weight(rows: &[Rows], pages: &Pages, variables: &Map<String, Value>) -> u64 {
    let largest = rows.iter().map(|rows| rows.number(pages, variables).unwrap_or(DEFAULT_PAGE_SIZE)).max();
    largest.map_or(1, |rows| rows.div_ceil(ROWS_PER_COST_UNIT).max(1))
}

fn is_limit(name: &str) -> bool {
    matches!(name, "limit" | "first" | "perPage")
}

fn number(scalar: &DefaultScalarValue) -> u64 {
    scalar.try_to_int().and_then(|rows| u64::try_from(rows).ok()).unwrap_or(1)
}
