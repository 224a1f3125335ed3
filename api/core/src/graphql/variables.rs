//! Variables of a request, converted from JSON to juniper's form.
//!
//! Validation refuses objects and lists where a scalar is declared. So every value of the type `JSON` is
//! replaced by its text, which the scalar's parser reads again: clients send plain JSON.

use std::collections::{HashMap, HashSet};

use juniper::{
    DefaultScalarValue, InputValue, SchemaType, Spanning, Variables,
    meta::{InputObjectMeta, MetaType},
};
use serde_json::{Map, Value};

use super::JsonNames;

/// Fields of a schema's input objects that hold JSON. Built once for a schema.
#[derive(Debug, Default)]
pub struct JsonPlaces {
    /// Declared type by input object and field.
    by_object: HashMap<String, HashMap<String, Declared>>,
}

/// Relevant part of the declared type of a variable or field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// Name of the innermost type.
    name: String,
    /// Number of lists around it.
    lists: usize,
}

impl Declared {
    /// Parses a type in GraphQL's notation, for example `[JSON!]!`.
    #[must_use]
    pub fn parse(notation: &str) -> Self {
        let name = notation.chars().filter(|c| !matches!(c, '[' | ']' | '!')).collect();
        Self { name, lists: notation.matches('[').count() }
    }

    /// Type of an item of the list.
    fn item(&self) -> Self {
        Self { name: self.name.clone(), lists: self.lists.saturating_sub(1) }
    }

    fn is_json(&self) -> bool {
        self.lists == 0 && self.name == JsonNames::SCALAR
    }
}

impl JsonPlaces {
    /// Finds the fields in a schema.
    #[must_use]
    pub fn of(schema: &SchemaType<DefaultScalarValue>) -> Self {
        let types = schema.concrete_type_list();
        let objects: Vec<&InputObjectMeta<DefaultScalarValue>> = types
            .into_iter()
            .filter_map(|meta| if let MetaType::InputObject(object) = meta { Some(object) } else { None })
            .collect();
        let mut holding: HashSet<&str> = HashSet::from([JsonNames::SCALAR]);
        // Objects that hold objects that hold JSON: until nothing new is found.
        loop {
            let before = holding.len();
            for object in &objects {
                if object.input_fields.iter().any(|field| holding.contains(field.arg_type.innermost_name())) {
                    holding.insert(&object.name);
                }
            }
            if holding.len() == before {
                break;
            }
        }
        let by_object =
            objects.iter().filter(|object| holding.contains(object.name.as_str())).map(|object| {
                let fields = object.input_fields.iter();
                let fields = fields.filter(|field| holding.contains(field.arg_type.innermost_name()));
                let fields = fields
                    .map(|field| (field.name.to_string(), Declared::parse(&field.arg_type.to_string())));
                (object.name.to_string(), fields.collect())
            });
        Self { by_object: by_object.collect() }
    }

    /// Converts the variables of a request by their declared types.
    #[must_use]
    pub fn coerce(&self, declared: &HashMap<String, Declared>, given: Map<String, Value>) -> Variables {
        let one = |(name, value): (String, Value)| {
            let value = self.value(declared.get(&name), value);
            (name, value)
        };
        given.into_iter().map(one).collect()
    }

    fn value(&self, declared: Option<&Declared>, value: Value) -> InputValue {
        match value {
            Value::Null => InputValue::Null,
            value if declared.is_some_and(Declared::is_json) => InputValue::scalar(value.to_string()),
            Value::Bool(flag) => InputValue::scalar(flag),
            Value::Number(number) => {
                let small = number.as_i64().and_then(|whole| i32::try_from(whole).ok());
                small.map_or_else(
                    || InputValue::scalar(number.as_f64().unwrap_or(f64::NAN)),
                    InputValue::scalar,
                )
            }
            Value::String(text) => InputValue::scalar(text),
            Value::Array(items) => {
                let item = declared.map(Declared::item);
                InputValue::list(items.into_iter().map(|value| self.value(item.as_ref(), value)).collect())
            }
            Value::Object(fields) => {
                let places = declared.and_then(|declared| self.by_object.get(&declared.name));
                let fields = fields.into_iter().map(|(name, value)| {
                    let value = self.value(places.and_then(|places| places.get(&name)), value);
                    (Spanning::unlocated(name), Spanning::unlocated(value))
                });
                InputValue::Object(fields.collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use juniper::{
        EmptyMutation, EmptySubscription, FromInputValue, GraphQLInputObject, RootNode, graphql_object,
    };
    use serde_json::json;

    use super::*;
    use crate::graphql::Json;

    #[derive(GraphQLInputObject)]
    #[graphql(scalar = DefaultScalarValue)]
    struct Outer {
        name: String,
        config: Option<Json>,
        inner: Option<Vec<Inner>>,
    }

    #[derive(GraphQLInputObject)]
    #[graphql(scalar = DefaultScalarValue)]
    struct Inner {
        data: Json,
    }

    struct Query;

    #[graphql_object(scalar = DefaultScalarValue)]
    impl Query {
        fn takes(_input: Outer, _list: Vec<Json>) -> bool {
            true
        }
    }

    fn coerced(declared: &str, value: Value) -> InputValue {
        let schema = RootNode::new(Query, EmptyMutation::<()>::new(), EmptySubscription::<()>::new());
        let declared = HashMap::from([("v".to_owned(), Declared::parse(declared))]);
        let given = Map::from_iter([("v".to_owned(), value)]);
        JsonPlaces::of(&schema.schema).coerce(&declared, given).remove("v").unwrap()
    }

    #[test]
    fn variables_of_type_json_arrive_unchanged() {
        for value in [
            json!({ "a": [1, { "b": null }] }),
            json!([1, 2]),
            json!("text"),
            json!("5"),
            json!(5),
            json!(true),
        ] {
            let scalar = coerced("JSON!", value.clone());
            assert!(matches!(scalar, InputValue::Scalar(_)), "{scalar:?}");
            assert_eq!(Json::from_input_value(&scalar).unwrap().0, value);
        }
        assert_eq!(coerced("JSON", Value::Null), InputValue::Null);
    }

    #[test]
    fn variables_hold_json_within_lists_and_input_objects() {
        let InputValue::List(items) = coerced("[JSON!]!", json!([{ "a": 1 }, "x"])) else {
            panic!("a list stays one")
        };
        assert!(items.iter().all(|item| matches!(item.item, InputValue::Scalar(_))));
        let outer = json!({ "name": "n", "config": { "deep": [] }, "inner": [{ "data": [1] }] });
        let text = format!("{:?}", coerced("Outer!", outer));
        for expected in [r#"{\"deep\":[]}"#, "[1]", r#"String("n")"#] {
            assert!(text.contains(expected), "{expected} in {text}");
        }
    }
}
