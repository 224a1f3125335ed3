//! Documents, read and checked once: clients send the same few again and again.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use api_core::{
    Cx,
    graphql::{Declared, JsonPlaces, Measured},
};
use juniper::{
    DefaultScalarValue, Definition, EmptySubscription, ExecutionError, GraphQLError, ValidatedOperation,
    Variables, parser::parse_document_source,
};
use moka::sync::Cache;
use self_cell::self_cell;
use serde_json::{Map, Value};

use super::Refusal;
use crate::graphql::{Mutation, Query, Schema, schema};

/// What the cache may hold, in bytes of source times [`GROWTH`].
const CACHE_BYTES: u64 = 32 * 1024 * 1024;
/// How much larger a document is in memory than its source, roughly.
const GROWTH: usize = 16;

type Validated<'source> = ValidatedOperation<'source, Query, Mutation, EmptySubscription<Cx>>;

self_cell!(
    struct Operation {
        owner: String,
        #[covariant]
        dependent: Validated,
    }
);

/// One operation of a document, ready to execute.
pub struct Document {
    operation: Operation,
    measured: Measured,
    /// What each variable is declared as.
    variables: HashMap<String, Declared>,
}

/// The documents of a server.
pub struct Documents {
    schema: &'static Schema,
    known: Cache<String, Arc<Document>>,
}

/// Data and errors of an execution.
pub type Executed = (juniper::Value, Vec<ExecutionError<DefaultScalarValue>>);

impl Documents {
    /// An empty cache over the schema.
    #[must_use]
    pub fn new(introspection: bool) -> Self {
        let known = Cache::builder()
            .max_capacity(CACHE_BYTES)
            .weigher(|key: &String, _| u32::try_from(key.len() * GROWTH).unwrap_or(u32::MAX))
            .build();
        Self { schema: schema(introspection), known }
    }

    /// The operation of this name in a document, or the only one. Documents that cannot be executed are not kept.
    pub fn get(&self, source: String, operation: Option<&str>) -> Result<Arc<Document>, Refusal> {
        let key = operation.map_or_else(|| source.clone(), |name| format!("{name}\u{0}{source}"));
        if let Some(document) = self.known.get(&key) {
            return Ok(document);
        }
        let document = Arc::new(Document::read(source, operation, self.schema)?);
        self.known.insert(key, Arc::clone(&document));
        Ok(document)
    }

    /// The variables of a request for a document.
    pub fn coerce(&self, document: &Document, given: Map<String, Value>) -> Variables {
        static PLACES: LazyLock<JsonPlaces> = LazyLock::new(|| JsonPlaces::of(&schema(false).schema));
        PLACES.coerce(&document.variables, given)
    }
}

impl Document {
    fn read(source: String, operation: Option<&str>, schema: &'static Schema) -> Result<Self, Refusal> {
        let parsed = parse_document_source(&source, &schema.schema).map_err(GraphQLError::ParseError)?;
        let measured = Measured::of(&parsed, operation)?;
        let variables = declared_variables(&parsed, operation);
        drop(parsed);
        let operation = Operation::try_new(source, |source| Validated::new(source, operation, schema))?;
        Ok(Self { operation, measured, variables })
    }

    /// What the operation asks for.
    pub const fn measured(&self) -> &Measured {
        &self.measured
    }

    /// Executes the operation.
    pub async fn execute(&self, variables: &Variables, cx: &Cx) -> Result<Executed, Refusal> {
        Ok(self.operation.borrow_dependent().execute(variables, cx).await?)
    }
}

fn declared_variables(
    document: &[Definition<'_, DefaultScalarValue>],
    operation: Option<&str>,
) -> HashMap<String, Declared> {
    let operations = document.iter().filter_map(|definition| match definition {
        Definition::Operation(candidate) => Some(&candidate.item),
        Definition::Fragment(_) => None,
    });
    operations
        .filter(|candidate| operation.is_none() || candidate.name.as_ref().map(|name| name.item) == operation)
        .filter_map(|candidate| candidate.variables_definition.as_ref())
        .flat_map(|variables| variables.item.iter())
        .map(|(name, variable)| (name.item.to_owned(), Declared::parse(&variable.var_type.item.to_string())))
        .collect()
}
