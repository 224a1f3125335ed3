//! What a GraphQL operation may ask for (specification C §12), measured before anything runs.
//!
//! A field costs 1 and what is selected below it. Below a field with a `limit` (as an argument, or in an object that
//! is one) the cost counts once for every ten rows begun, so that a page of a hundred costs ten times its row.
//! Introspection is not measured: it reads no data, and the switch of the explorer closes it.

use std::{collections::HashMap, sync::Arc};

use juniper::{DefaultScalarValue, Definition, Document, InputValue, ScalarValue, Selection, Spanning};
use serde_json::{Map, Value, json};

use crate::{ApiError, Code, Result};

/// Deepest nesting of fields.
pub const DEPTH: usize = 12;
/// Highest cost of an operation.
pub const COMPLEXITY: u64 = 1000;
/// How often one operation may ask for the same root field.
pub const ALIASES: usize = 20;
/// Selections of any kind in one operation, each fragment counted wherever it is spread: what bounds the work of
/// measuring, validating and executing also where nothing is selected that costs.
const SELECTIONS: u64 = 10 * COMPLEXITY;
/// Operations in one batch.
pub const BATCH: usize = 10;

/// Rows that count as one.
const ROWS: u64 = 10;

/// An operation, measured: its cost may still depend on variables.
#[derive(Debug)]
pub struct Measured {
    cost: Arc<Cost>,
}

/// The fields of a selection, and the selections below limits.
#[derive(Debug, Default)]
struct Cost {
    fields: u64,
    lists: Vec<(Limit, Arc<Cost>)>,
    depth: usize,
    /// Selections of any kind, also those that cost nothing.
    selections: u64,
}

/// The number of rows that a field asks for.
#[derive(Debug, Clone)]
enum Limit {
    Given(u64),
    Variable(String),
    /// A variable that holds an object with the limit in it.
    Within(String),
}

impl Measured {
    /// Measures one operation of a parsed document: its depth and aliases are checked, its cost is kept for
    /// [`Measured::check_cost`]. A document without the operation is left to validation.
    ///
    /// # Errors
    /// 400 `QUERY_TOO_COMPLEX` that names the limit.
    pub fn of(document: &Document<'_, DefaultScalarValue>, operation: Option<&str>) -> Result<Self> {
        let mut walk = Walk { fragments: HashMap::new(), costs: HashMap::new(), is_cyclic: false };
        let mut root = None;
        for definition in document {
            match definition {
                Definition::Fragment(fragment) => {
                    walk.fragments.insert(fragment.item.name.item, &fragment.item.selection_set);
                }
                Definition::Operation(candidate) => {
                    let name = candidate.item.name.as_ref().map(|name| name.item);
                    if operation.is_none() || operation == name {
                        root = Some(&candidate.item.selection_set);
                    }
                }
            }
        }
        let selections = root.map_or(&[][..], Vec::as_slice);
        let cost = Arc::new(walk.cost(selections, &mut Vec::new()));
        if walk.is_cyclic {
            // Validation refuses it; following the spreads again could take for ever.
            return Ok(Self { cost });
        }
        // First, because it bounds the walks that follow spreads without remembering them.
        if cost.selections > SELECTIONS {
            return Err(too_complex("selections", SELECTIONS, cost.selections));
        }
        let mut root_fields = Vec::new();
        walk.root_fields(selections, &mut root_fields);
        check_aliases(&root_fields)?;
        if cost.depth > DEPTH {
            return Err(too_complex("depth", DEPTH as u64, cost.depth as u64));
        }
        Ok(Self { cost })
    }

    /// Checks the cost with the variables of a request.
    ///
    /// # Errors
    /// 400 `QUERY_TOO_COMPLEX` that names the limit.
    pub fn check_cost(&self, variables: &Map<String, Value>) -> Result<()> {
        let cost = self.cost.total(variables);
        if cost > COMPLEXITY { Err(too_complex("complexity", COMPLEXITY, cost)) } else { Ok(()) }
    }
}

impl Cost {
    fn total(&self, variables: &Map<String, Value>) -> u64 {
        let lists = self
            .lists
            .iter()
            .map(|(limit, cost)| limit.weight(variables).saturating_mul(cost.total(variables)));
        lists.fold(self.fields, u64::saturating_add)
    }
}

impl Limit {
    /// What counts of a limit; one that is absent or nonsense counts once and is refused by the operation.
    fn weight(&self, variables: &Map<String, Value>) -> u64 {
        let rows = match self {
            Self::Given(rows) => Some(*rows),
            Self::Variable(name) => variables.get(name).and_then(Value::as_u64),
            Self::Within(name) => variables.get(name).and_then(limit_of_json),
        };
        rows.map_or(1, |rows| rows.div_ceil(ROWS).max(1))
    }
}

struct Walk<'d, 'a> {
    fragments: HashMap<&'a str, &'d Vec<Selection<'a>>>,
    costs: HashMap<&'a str, Arc<Cost>>,
    /// Whether a fragment spreads itself, be it through others.
    is_cyclic: bool,
}

impl<'d, 'a> Walk<'d, 'a> {
    /// The cost of selections. A fragment that is open already forms a cycle, which validation refuses.
    fn cost(&mut self, selections: &'d [Selection<'a>], open: &mut Vec<&'a str>) -> Cost {
        let mut cost = Cost::default();
        for selection in selections {
            cost.selections = cost.selections.saturating_add(1);
            match selection {
                Selection::Field(field) if is_introspection(field.item.name.item) => {
                    let below = self.cost(field.item.selection_set.as_deref().unwrap_or_default(), open);
                    cost.selections = cost.selections.saturating_add(below.selections);
                }
                Selection::Field(field) => {
                    let nested = field.item.selection_set.as_deref().unwrap_or_default();
                    let below = self.cost(nested, open);
                    cost.fields = cost.fields.saturating_add(1);
                    cost.depth = cost.depth.max(below.depth + 1);
                    cost.selections = cost.selections.saturating_add(below.selections);
                    let arguments = field.item.arguments.as_ref().map_or(&[][..], |given| &given.item.items);
                    match limit_of(arguments) {
                        Some(limit) => cost.lists.push((limit, Arc::new(below))),
                        None => cost.add(below),
                    }
                }
                Selection::InlineFragment(inline) => {
                    let below = self.cost(&inline.item.selection_set, open);
                    cost.selections = cost.selections.saturating_add(below.selections);
                    cost.join(below);
                }
                Selection::FragmentSpread(spread) => {
                    let below = self.fragment(spread.item.name.item, open);
                    cost.depth = cost.depth.max(below.depth);
                    cost.selections = cost.selections.saturating_add(below.selections);
                    cost.lists.push((Limit::Given(1), below));
                }
            }
        }
        cost
    }

    fn fragment(&mut self, name: &'a str, open: &mut Vec<&'a str>) -> Arc<Cost> {
        if let Some(known) = self.costs.get(name) {
            return Arc::clone(known);
        }
        if open.contains(&name) {
            self.is_cyclic = true;
            return Arc::default();
        }
        let Some(selections) = self.fragments.get(name).copied() else { return Arc::default() };
        open.push(name);
        let cost = Arc::new(self.cost(selections, open));
        open.pop();
        self.costs.insert(name, Arc::clone(&cost));
        cost
    }

    /// Root fields, also those within fragments. Walks every spread, so their number must be known to be bounded.
    fn root_fields(&self, selections: &[Selection<'a>], found: &mut Vec<&'a str>) {
        for selection in selections {
            match selection {
                Selection::Field(field) => found.push(field.item.name.item),
                Selection::InlineFragment(inline) => self.root_fields(&inline.item.selection_set, found),
                Selection::FragmentSpread(spread) => {
                    if let Some(selections) = self.fragments.get(spread.item.name.item) {
                        self.root_fields(selections, found);
                    }
                }
            }
        }
    }
}

impl Cost {
    /// Adds what stands one level deeper; the depth is the caller's.
    fn add(&mut self, below: Self) {
        self.fields = self.fields.saturating_add(below.fields);
        self.lists.extend(below.lists);
    }

    /// Adds what stands on the same level.
    fn join(&mut self, beside: Self) {
        self.depth = self.depth.max(beside.depth);
        self.add(beside);
    }
}

fn check_aliases(root_fields: &[&str]) -> Result<()> {
    let mut times: HashMap<&str, usize> = HashMap::new();
    for field in root_fields {
        *times.entry(field).or_default() += 1;
    }
    match times.values().max() {
        Some(most) if *most > ALIASES => Err(too_complex("aliases", ALIASES as u64, *most as u64)),
        _ => Ok(()),
    }
}

/// 400 `QUERY_TOO_COMPLEX`, with the limit in its details.
#[must_use]
pub fn too_complex(what: &str, limit: u64, asked: u64) -> ApiError {
    let message = match what {
        "depth" => format!("Fields must not be nested deeper than {limit} levels"),
        "batch" => format!("A batch must not hold more than {limit} operations"),
        "selections" => {
            format!(
                "An operation must not select more than {limit} times, fragments counted wherever they are spread"
            )
        }
        "aliases" => format!("A root field must not be asked for more than {limit} times"),
        _ => format!("The operation must not cost more than {limit}"),
    };
    ApiError::new(Code::QueryTooComplex, message)
        .with_details(json!({ "limit": what, "allowed": limit, "asked": asked }))
}

fn is_introspection(field: &str) -> bool {
    matches!(field, "__schema" | "__type" | "__typename")
}

fn limit_of(arguments: &[(Spanning<&str>, Spanning<InputValue>)]) -> Option<Limit> {
    arguments.iter().find_map(|(name, value)| match &value.item {
        InputValue::Variable(variable) if is_limit(name.item) => Some(Limit::Variable(variable.clone())),
        InputValue::Variable(variable) => Some(Limit::Within(variable.clone())),
        InputValue::Scalar(scalar) if is_limit(name.item) => Some(Limit::Given(rows(scalar))),
        InputValue::Object(fields) => limit_of_object(fields),
        _ => None,
    })
}

fn limit_of_object(fields: &[(Spanning<String>, Spanning<InputValue>)]) -> Option<Limit> {
    fields.iter().find_map(|(name, value)| match &value.item {
        InputValue::Variable(variable) if is_limit(&name.item) => Some(Limit::Variable(variable.clone())),
        InputValue::Scalar(scalar) if is_limit(&name.item) => Some(Limit::Given(rows(scalar))),
        _ => None,
    })
}

fn limit_of_json(value: &Value) -> Option<u64> {
    value.as_object()?.iter().find(|(name, _)| is_limit(name))?.1.as_u64()
}

fn is_limit(name: &str) -> bool {
    matches!(name, "limit" | "first")
}

fn rows(scalar: &DefaultScalarValue) -> u64 {
    scalar.try_to_int().and_then(|rows| u64::try_from(rows).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use juniper::{
        EmptyMutation, EmptySubscription, RootNode, graphql_object, parser::parse_document_source,
    };

    use super::*;

    /// With an `Int`, which the parser needs to read one.
    struct Query;

    #[graphql_object]
    impl Query {
        fn ping(_n: Option<i32>) -> bool {
            true
        }
    }

    /// Measuring needs no schema that knows the fields; parsing needs some schema.
    fn measured(source: &str, variables: Value) -> Result<u64> {
        let schema = RootNode::new(Query, EmptyMutation::<()>::new(), EmptySubscription::<()>::new());
        let document = parse_document_source(source, &schema.schema).unwrap();
        let measured = Measured::of(&document, None)?;
        let variables = variables.as_object().cloned().unwrap_or_default();
        measured.check_cost(&variables)?;
        Ok(measured.cost.total(&variables))
    }

    fn nested(levels: usize) -> String {
        format!("{{ {} x {} }}", "a { ".repeat(levels - 1), "} ".repeat(levels - 1))
    }

    #[test]
    fn depth_is_limited() {
        assert_eq!(measured(&nested(DEPTH), json!({})), Ok(DEPTH as u64));
        let error = measured(&nested(DEPTH + 1), json!({})).unwrap_err();
        assert_eq!(error.code, Code::QueryTooComplex);
        assert_eq!(error.details, Some(json!({ "limit": "depth", "allowed": 12, "asked": 13 })));
    }

    #[test]
    fn fragments_count_where_they_are_spread() {
        let source = "{ a { ...f } } fragment f on A { b { c } }";
        assert_eq!(measured(source, json!({})), Ok(3));
        let deep = format!("{{ a {{ ...f }} }} fragment f on A {}", nested(DEPTH));
        assert!(measured(&deep, json!({})).is_err(), "twelve levels below the first");
        let cycle = "{ ...f } fragment f on A { a { ...f } }";
        assert_eq!(measured(cycle, json!({})), Ok(1), "left to validation");
    }

    #[test]
    fn spreads_that_multiply_are_refused_without_walking_them() {
        let doubled: String =
            (0..55).map(|n| format!("fragment f{n} on Query {{ ...f{0} ...f{0} }} ", n + 1)).collect();
        // The parser counts fields; these spreads end in none.
        let source = format!("{{ ...f0 }} {doubled} fragment f55 on Query {{ ...unknown }}");
        let error = measured(&source, json!({})).unwrap_err();
        assert_eq!(error.details.unwrap()["limit"], "selections");
        let fragments: String = (0..30)
            .map(|n| {
                let others: String = (0..30).map(|other| format!("...f{other} ")).collect();
                format!("fragment f{n} on Query {{ {others} }} ")
            })
            .collect();
        let schema = RootNode::new(Query, EmptyMutation::<()>::new(), EmptySubscription::<()>::new());
        let cyclic = format!("{{ ...f0 }} {fragments}");
        let document = parse_document_source(&cyclic, &schema.schema).unwrap();
        assert!(Measured::of(&document, None).is_ok(), "cycles are left to validation");
    }

    #[test]
    fn the_same_root_field_may_be_asked_for_twenty_times() {
        let asked = |times: usize| {
            let fields: String = (0..times).map(|n| format!("a{n}: ping ")).collect();
            measured(&format!("{{ {fields} }}"), json!({}))
        };
        assert_eq!(asked(ALIASES), Ok(20));
        assert_eq!(asked(ALIASES + 1).unwrap_err().details.unwrap()["limit"], "aliases");
        let spread = format!("{{ {} }} fragment f on Query {{ ping }}", "...f ".repeat(ALIASES + 1));
        assert!(measured(&spread, json!({})).is_err(), "fragments hide no alias");
    }

    #[test]
    fn a_limit_multiplies_what_is_below_it() {
        let page = "query($n: Int, $page: Page) { %FIELD% { a b c } }";
        let cost = |field: &str, variables| measured(&page.replace("%FIELD%", field), variables);
        assert_eq!(cost("rows", json!({})), Ok(4));
        assert_eq!(cost("rows(limit: 10)", json!({})), Ok(4));
        assert_eq!(cost("rows(limit: 100)", json!({})), Ok(31));
        assert_eq!(cost("rows(limit: $n)", json!({ "n": 11 })), Ok(7));
        assert_eq!(cost("rows(limit: $n)", json!({})), Ok(4));
        assert_eq!(cost("rows(page: { limit: 30 })", json!({})), Ok(10));
        assert_eq!(cost("rows(page: $page)", json!({ "page": { "limit": 30 } })), Ok(10));
        let error = cost("rows(limit: $n)", json!({ "n": 1_000_000 })).unwrap_err();
        assert_eq!(error.details.unwrap()["limit"], "complexity");
        assert!(cost("rows(limit: $n)", json!({ "n": u64::MAX })).is_err(), "no overflow");
        assert_eq!(cost("rows(limit: $n)", json!({ "n": -1 })), Ok(4), "refused by the operation itself");
    }

    #[test]
    fn introspection_is_not_measured() {
        let deep = format!("{{ __schema {} ping }}", nested(40));
        assert_eq!(measured(&deep, json!({})), Ok(1));
    }
}
