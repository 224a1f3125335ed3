//! The whole schema as JSON, and what a plan selects from it.

use std::collections::HashMap;

use api_core::{ApiError, Result};
use juniper::{DefaultScalarValue, ExecutionError};
use serde_json::{Value, value::RawValue};

use super::plan::{Field, Fields, Meta, Plan, Root};

/// Deepest nesting of lists and non-null types around a type that is read.
const MAX_WRAPPERS: usize = 6;

/// The schema.
#[derive(Debug)]
pub struct Tree {
    schema: Value,
    /// Place of each type in the list of types.
    types: HashMap<String, usize>,
}

/// Question for everything that a schema has.
pub fn whole_schema() -> String {
    let mut reference = "kind name".to_owned();
    for _ in 0..MAX_WRAPPERS {
        reference = format!("kind name ofType {{ {reference} }}");
    }
    let deprecation = "isDeprecated deprecationReason";
    let input = format!("{{ name description defaultValue {deprecation} type {{ {reference} }} }}");
    let arguments = format!("args(includeDeprecated: true) {input}");
    format!(
        "{{ __schema {{
            description
            queryType {{ name }} mutationType {{ name }} subscriptionType {{ name }}
            directives {{
                name description isRepeatable locations onOperation onFragment onField {arguments}
            }}
            types {{
                kind name description specifiedByURL isOneOf
                fields(includeDeprecated: true) {{
                    name description {deprecation} type {{ {reference} }} {arguments}
                }}
                inputFields(includeDeprecated: true) {input}
                enumValues(includeDeprecated: true) {{ name description {deprecation} }}
                interfaces {{ name }} possibleTypes {{ name }}
            }}
        }} }}"
    )
}

impl Tree {
    /// Reads the answer to [`whole_schema`].
    ///
    /// # Errors
    /// An answer with errors, or of another shape.
    pub fn of(data: &juniper::Value, errors: &[ExecutionError<DefaultScalarValue>]) -> Result<Self> {
        if let Some(error) = errors.first() {
            return Err(ApiError::internal(format!(
                "the schema cannot be read: {}",
                error.error().message()
            )));
        }
        let mut data = serde_json::to_value(data)?;
        let schema = data["__schema"].take();
        let types =
            schema["types"].as_array().ok_or_else(|| ApiError::internal("the schema has no types"))?;
        let names = types.iter().map(|kind| kind["name"].as_str().unwrap_or_default().to_owned());
        Ok(Self { types: names.zip(0..).collect(), schema })
    }

    /// Answers an operation.
    pub fn answer(&self, plan: &Plan) -> Result<Box<RawValue>> {
        let mut text = Text(Vec::new());
        text.object(&plan.0, |text, root| match root {
            Root::Typename => text.value(&self.schema["queryType"]["name"]),
            Root::Schema(fields) => self.fields(text, &self.schema, fields),
            Root::Type { name, fields } => match self.find(name) {
                Some(kind) => self.fields(text, kind, fields),
                None => text.value(&Value::Null),
            },
        })?;
        let text = String::from_utf8(text.0).map_err(ApiError::internal)?;
        Ok(RawValue::from_string(text)?)
    }

    fn find(&self, name: &str) -> Option<&Value> {
        self.schema["types"].get(*self.types.get(name)?)
    }

    fn fields(&self, text: &mut Text, of: &Value, fields: &Fields) -> Result<()> {
        // A reference to a type has only its name.
        let of = match of["name"].as_str() {
            Some(name) if fields.of == Meta::Type => self.find(name).unwrap_or(of),
            _ => of,
        };
        text.object(&fields.fields, |text, field| match field {
            Field::Typename => text.value(&Value::from(fields.of.name())),
            Field::Value { name } => text.value(&of[name.as_str()]),
            Field::Objects { name, with_deprecated, fields } => {
                self.objects(text, &of[name.as_str()], *with_deprecated, fields)
            }
        })
    }

    fn objects(&self, text: &mut Text, of: &Value, with_deprecated: bool, fields: &Fields) -> Result<()> {
        match of {
            Value::Array(items) => {
                let is_selected = |item: &&Value| with_deprecated || item["isDeprecated"] != true;
                text.list(items.iter().filter(is_selected), |text, item| self.fields(text, item, fields))
            }
            Value::Object(_) => self.fields(text, of, fields),
            // Wrappers have neither fields nor values, and types no wrapped type.
            _ => text.value(&Value::Null),
        }
    }
}

/// JSON text that is written from its beginning to its end.
struct Text(Vec<u8>);

impl Text {
    fn value(&mut self, value: &Value) -> Result<()> {
        Ok(serde_json::to_writer(&mut self.0, value)?)
    }

    fn object<T>(
        &mut self,
        fields: &[(String, T)],
        mut write: impl FnMut(&mut Self, &T) -> Result<()>,
    ) -> Result<()> {
        self.0.push(b'{');
        for (number, (key, field)) in fields.iter().enumerate() {
            self.separate(number);
            self.0.extend_from_slice(key.as_bytes());
            write(self, field)?;
        }
        self.0.push(b'}');
        Ok(())
    }

    fn list<T>(
        &mut self,
        items: impl Iterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Result<()>,
    ) -> Result<()> {
        self.0.push(b'[');
        for (number, item) in items.enumerate() {
            self.separate(number);
            write(self, item)?;
        }
        self.0.push(b']');
        Ok(())
    }

    fn separate(&mut self, number: usize) {
        if number > 0 {
            self.0.push(b',');
        }
    }
}
