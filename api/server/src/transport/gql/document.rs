//! GraphQL documents, measured and validated once: clients send the same few again and again.

use std::{
    collections::HashMap,
    sync::{Arc, LazyLock},
};

use api_core::{
    ApiError, Cx,
    graphql::{Bound, Census, Declared, JsonPlaces, Known, Measured, Pages, check_overlaps, check_shape},
};
use juniper::{DefaultScalarValue, Definition, GraphQLError, Variables, parser::parse_document_source};
use moka::sync::Cache;
use serde_json::{Map, Value, value::RawValue};
use sha2::{Digest, Sha256};
use tokio::{
    sync::{Mutex, OwnedMutexGuard},
    time::{Instant, timeout_at},
};

use super::{
    answer::{Executed, Refusal},
    introspection::{Introspection, Plan},
    operation::Operation,
    threads::{ThreadState, Threads, WAIT_TIMEOUT, busy},
};
use crate::graphql::{Schema, schema};

/// Size of the cache of documents, in bytes of source times [`PARSED_SIZE_RATIO`].
const MAX_DOCUMENTS_BYTES: u64 = 32 * 1024 * 1024;
/// Approximate ratio of the size of a document in memory to its source.
const PARSED_SIZE_RATIO: usize = 16;
/// Size of the cache of refusals, in bytes of their errors.
const MAX_REFUSALS_BYTES: u64 = 4 * 1024 * 1024;
/// Largest number of documents whose readings are shared. Each document that waits needs one.
const MAX_READINGS: u64 = 1024;

/// One operation of a document, ready to execute.
pub struct Document {
    operation: Operation,
    /// `None` for an operation that the library executes.
    introspection: Option<Plan>,
    measured: Measured,
    /// Declaration of each variable.
    variables: HashMap<String, Declared>,
}

/// The documents of a server.
pub struct Documents {
    schema: &'static Schema,
    known: Cache<Key, Arc<Document>>,
    refused: Cache<Key, Arc<Refusal>>,
    /// Documents that are being read. A lost one costs a second reading.
    readings: Cache<Key, Arc<Mutex<Reading>>>,
    threads: Threads,
    introspection: Introspection,
}

/// Result of an execution.
pub enum Outcome {
    /// Data and errors of operations.
    Executed(Executed),
    /// Data of introspection, as JSON text.
    Introspected(Box<RawValue>),
}

/// The hash of a document and the name of its operation.
type Key = [u8; 32];

/// Result of reading a document; `None` until it is read.
type Reading = Option<Result<Arc<Document>, Refusal>>;

/// Document that is to be read.
struct Unread {
    key: Key,
    source: String,
    operation: Option<String>,
    /// Caller in whose place it waits.
    caller: String,
    deadline: Instant,
}

impl Documents {
    /// Documents with empty caches.
    #[must_use]
    pub fn new(introspection: bool) -> Self {
        let known = Cache::builder()
            .max_capacity(MAX_DOCUMENTS_BYTES)
            .weigher(|_, document: &Arc<Document>| weight(document.size()))
            .build();
        let refused = Cache::builder()
            .max_capacity(MAX_REFUSALS_BYTES)
            .weigher(|_, refusal: &Arc<Refusal>| weight(refusal.size()))
            .build();
        let readings = Cache::builder().max_capacity(MAX_READINGS).time_to_live(2 * WAIT_TIMEOUT).build();
        let (schema, threads) = (schema(introspection), Threads::default());
        Self { schema, known, refused, readings, threads, introspection: Introspection::default() }
    }

    /// Returns the operation of this name in a document, or the only one. Requests for a document that is being
    /// read wait for it and take no place among the new ones.
    ///
    /// # Errors
    /// Reason why the document cannot be executed; 429 when too many new documents wait.
    pub async fn get(
        self: &Arc<Self>,
        caller: &str,
        source: String,
        operation: Option<String>,
    ) -> Result<Arc<Document>, Refusal> {
        Bound::Bytes.check(source.len() as u64)?;
        let key = key(&source, operation.as_deref());
        match self.find(&key) {
            Some(known) => known,
            // Boxed, so that requests with a known document pay nothing for the size of the future.
            None => {
                let deadline = Instant::now() + WAIT_TIMEOUT;
                let unread = Unread { key, source, operation, caller: caller.to_owned(), deadline };
                Box::pin(self.share_reading(unread)).await
            }
        }
    }

    async fn share_reading(self: &Arc<Self>, unread: Unread) -> Result<Arc<Document>, Refusal> {
        let (key, deadline) = (unread.key, unread.deadline);
        let reading = self.readings.get_with(key, Arc::default).lock_owned();
        let reading = timeout_at(deadline, reading).await.map_err(|_elapsed| busy())?;
        // Another request may have read the same document meanwhile.
        if let Some(read) = reading.clone().or_else(|| self.find(&key)) {
            return read;
        }
        let documents = Arc::clone(self);
        // It continues without its caller: others may wait for it.
        let read = tokio::spawn(async move { documents.read(unread, reading).await });
        read.await.map_err(ApiError::internal)?
    }

    async fn read(
        &self,
        unread: Unread,
        mut reading: OwnedMutexGuard<Reading>,
    ) -> Result<Arc<Document>, Refusal> {
        let Unread { key, source, operation, caller, deadline } = unread;
        let thread = self.threads.enter(&caller, deadline).await?;
        let schema = self.schema;
        let read = thread.run(move || Document::read(source, operation.as_deref(), schema)).await?;
        let read = read.map(Arc::new);
        match &read {
            Ok(document) => self.known.insert(key, Arc::clone(document)),
            Err(refusal) => self.refused.insert(key, Arc::new(refusal.clone())),
        }
        *reading = Some(read.clone());
        self.readings.invalidate(&key);
        read
    }

    fn find(&self, key: &Key) -> Option<Result<Arc<Document>, Refusal>> {
        if let Some(document) = self.known.get(key) {
            return Some(Ok(document));
        }
        self.refused.get(key).map(|refusal| Err(Refusal::clone(&refusal)))
    }

    /// Cost of a document with the variables of a request.
    ///
    /// # Errors
    /// 400 `QUERY_TOO_COMPLEX`.
    pub fn check_cost(&self, document: &Document, given: &Map<String, Value>) -> Result<u64, Refusal> {
        Ok(document.measured.check_cost(known(), given)?)
    }

    /// Variables of a request in the declared types of a document.
    #[must_use]
    pub fn coerce(&self, document: &Document, given: Map<String, Value>) -> Variables {
        static PLACES: LazyLock<JsonPlaces> = LazyLock::new(|| JsonPlaces::of(&schema(false).schema));
        PLACES.coerce(&document.variables, given)
    }

    /// Executes the operation of a document.
    ///
    /// # Errors
    /// Variables that do not fit their declaration.
    pub async fn execute(
        &self,
        document: &Document,
        variables: &Variables,
        cx: &Cx,
    ) -> Result<Outcome, Refusal> {
        match &document.introspection {
            Some(plan) => {
                let answer = Box::pin(self.introspection.answer(plan, self.schema, cx));
                Ok(Outcome::Introspected(answer.await?))
            }
            None => Ok(Outcome::Executed(document.operation.execute(variables, cx).await?)),
        }
    }

    /// Use of the threads that validate documents.
    #[must_use]
    pub fn threads(&self) -> ThreadState {
        self.threads.state()
    }
}

impl Document {
    /// Returns the number of requests that the document counts as.
    #[must_use]
    pub const fn requests(&self) -> u64 {
        self.measured.requests()
    }

    /// Returns the number of fields of a mutation; 0 for a query.
    #[must_use]
    pub const fn mutation_fields(&self) -> usize {
        self.measured.mutation_fields()
    }

    /// Approximate size in memory, in bytes.
    fn size(&self) -> usize {
        let plan = self.introspection.as_ref().map_or(0, Plan::size);
        self.operation.source().len() * PARSED_SIZE_RATIO + plan
    }

    /// Reads a document. It is measured first, because the time of validation grows with the square of some
    /// counts.
    fn read(source: String, operation: Option<&str>, schema: &'static Schema) -> Result<Self, Refusal> {
        check_shape(&source)?;
        let parsed = parse_document_source(&source, &schema.schema).map_err(GraphQLError::ParseError)?;
        check_overlaps(&parsed)?;
        let measured = Measured::of(&parsed, operation, known())?;
        let variables = declared_variables(&parsed, operation);
        let plan = measured.introspects_only().then(|| Plan::of(&parsed, operation));
        drop(parsed);
        let operation = Operation::validated(source, operation, schema)?;
        Ok(Self { operation, introspection: plan, measured, variables })
    }
}

fn key(source: &str, operation: Option<&str>) -> Key {
    let operation = operation.unwrap_or_default();
    let mut hash = Sha256::new();
    hash.update(operation.len().to_le_bytes());
    hash.update(operation);
    hash.update(source);
    hash.finalize().into()
}

fn weight(bytes: usize) -> u32 {
    u32::try_from(bytes + size_of::<Key>()).unwrap_or(u32::MAX)
}

fn known() -> &'static Known {
    static KNOWN: LazyLock<Known> = LazyLock::new(|| {
        let schema = &schema(false).schema;
        Known { pages: Pages::of(schema), census: Census::of(schema) }
    });
    &KNOWN
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

#[cfg(test)]
mod tests {
    use futures::{FutureExt, future::join_all};

    use super::*;

    fn deadline() -> Instant {
        Instant::now() + WAIT_TIMEOUT
    }

    #[tokio::test]
    async fn documents_are_parsed_once() {
        let documents = Arc::new(Documents::new(false));
        let get = async |source: &str| documents.get("somebody", source.to_owned(), None).await;
        let (question, mistake) = ("{ plans { id } }", "{ nothing }");
        let first = get(question).await.unwrap();
        assert!(get(mistake).await.is_err());
        let mut held = Vec::new();
        for _ in 0..documents.threads().limit {
            held.push(documents.threads.enter("somebody else", deadline()).await.unwrap());
        }
        let again = get(question).now_or_never().expect("no thread is needed").unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        assert!(get(mistake).now_or_never().expect("no thread is needed").is_err());
        assert!(get("{ plans { name } }").now_or_never().is_none(), "a new one waits for a thread");
    }

    #[tokio::test]
    async fn documents_of_many_requests_are_read_once() {
        let documents = Arc::new(Documents::new(false));
        for (source, is_valid) in [("{ plans { id } }", true), ("{ nothing }", false)] {
            let get = || documents.get("somebody", source.to_owned(), None);
            let all = join_all((0..200).map(|_| get())).await;
            let valid: Vec<_> = all.iter().flatten().collect();
            assert_eq!(valid.len(), if is_valid { 200 } else { 0 }, "nobody is refused for the others");
            assert!(valid.windows(2).all(|pair| Arc::ptr_eq(pair[0], pair[1])), "{source}");
            assert!(all.iter().filter_map(|read| read.as_ref().err()).all(Refusal::is_mistake), "{source}");
        }
        assert_eq!(documents.readings.iter().count(), 0, "no reading remains");
    }

    #[tokio::test]
    async fn documents_are_read_to_the_end_when_their_first_request_ends() {
        let documents = Arc::new(Documents::new(false));
        let mut held = Vec::new();
        for _ in 0..documents.threads().limit {
            held.push(documents.threads.enter("somebody else", deadline()).await.unwrap());
        }
        let get = |caller| documents.get(caller, "{ plans { id } }".to_owned(), None);
        let mut first = Box::pin(get("first"));
        let mut second = Box::pin(get("second"));
        assert!(first.as_mut().now_or_never().is_none(), "it waits for a thread");
        assert!(second.as_mut().now_or_never().is_none(), "it waits for the first");
        drop(first);
        drop(held);
        let read = async {
            while documents.find(&key("{ plans { id } }", None)).is_none() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(WAIT_TIMEOUT, read).await.expect("it is read although nobody polls a request");
        let waited = second.now_or_never().expect("it is read").unwrap();
        let again = get("third").now_or_never().expect("it is known").unwrap();
        assert!(Arc::ptr_eq(&waited, &again));
    }

    #[tokio::test]
    async fn documents_weigh_what_their_fragments_expand_to() {
        let doubled = |n: usize| {
            format!("fragment f{n} on __Type {{ a: ofType {{ ...f{0} }} b: ofType {{ ...f{0} }} }} ", n + 1)
        };
        let fragments: String = (0..8).map(doubled).collect();
        let source = format!(
            "{{ __type(name: \"String\") {{ ...f0 }} }} {fragments} fragment f8 on __Type {{ name }}"
        );
        let length = source.len();
        let document = Arc::new(Documents::new(true)).get("somebody", source, None).await.unwrap();
        assert!(document.size() > length * PARSED_SIZE_RATIO + 500 * 256, "{}", document.size());
    }
}
