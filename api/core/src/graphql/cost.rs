//! The cost of an operation (specification C §12), measured before anything runs.
//!
//! A field costs 1 and what is selected below it. Below a field with a `limit` the cost counts once for every ten rows
//! begun, so that a page of a hundred costs ten times its row. Introspection reads no data and has no cost; its answer is
//! bounded by itself.

use std::{collections::HashMap, sync::Arc};

use juniper::{DefaultScalarValue, Definition, Operation, Selection, Spanning};
use serde_json::{Map, Value};

use super::{
    introspection::Census,
    limits::Bound,
    rows::{Declared, Pages, Rows, weight},
};
use crate::Result;

/// Facts about a schema that measuring needs.
#[derive(Debug, Default)]
pub struct Known {
    pub pages: Pages,
    pub census: Census,
}

/// An operation, measured: its cost may still depend on variables.
#[derive(Debug)]
pub struct Measured {
    cost: Arc<Cost>,
}

/// The fields of a selection, and the selections below limits.
#[derive(Debug, Default)]
struct Cost {
    fields: u64,
    lists: Vec<(Vec<Rows>, Arc<Cost>)>,
    depth: usize,
    /// Selections of any kind, also those that cost nothing.
    selections: u64,
}

impl Measured {
    /// Measures one operation of a parsed document: its depth and aliases are checked, its cost is kept for
    /// [`Measured::check_cost`]. A document without the operation is left to validation.
    ///
    /// # Errors
    /// 400 `QUERY_TOO_COMPLEX` that names the limit.
    pub fn of(
        document: &[Definition<'_, DefaultScalarValue>],
        operation: Option<&str>,
        known: &Known,
    ) -> Result<Self> {
        let root = document.iter().rev().find_map(|definition| match definition {
            Definition::Operation(candidate) => {
                let name = candidate.item.name.as_ref().map(|name| name.item);
                (operation.is_none() || operation == name).then_some(candidate)
            }
            Definition::Fragment(_) => None,
        });
        let mut walk = Walk::new(document, root, &known.pages);
        let selections = root.map_or(&[][..], |root| &root.item.selection_set);
        let cost = Arc::new(walk.cost(selections, &mut Vec::new()));
        if walk.is_cyclic {
            // Validation refuses it; following the spreads again could take for ever, also to add up the cost.
            return Ok(Self { cost: Arc::default() });
        }
        // First, because it bounds the walks that follow spreads without remembering them.
        Bound::Expanded.check(cost.selections)?;
        let mut root_fields = Vec::new();
        walk.root_fields(selections, &mut root_fields);
        check_root(&root_fields)?;
        Bound::Depth.check(cost.depth as u64)?;
        Bound::Introspection.check(known.census.answered(selections, &walk.fragments))?;
        Ok(Self { cost })
    }

    /// Checks the cost with the variables of a request, and answers it.
    ///
    /// # Errors
    /// 400 `QUERY_TOO_COMPLEX` that names the limit.
    pub fn check_cost(&self, known: &Known, variables: &Map<String, Value>) -> Result<u64> {
        let cost = self.cost.total(&known.pages, variables);
        Bound::Complexity.check(cost)?;
        Ok(cost)
    }
}

impl Cost {
    fn total(&self, pages: &Pages, variables: &Map<String, Value>) -> u64 {
        let lists = self
            .lists
            .iter()
            .map(|(rows, cost)| weight(rows, pages, variables).saturating_mul(cost.total(pages, variables)));
        lists.fold(self.fields, u64::saturating_add)
    }

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

struct Walk<'d, 'a> {
    fragments: HashMap<&'a str, &'d Vec<Selection<'a>>>,
    variables: HashMap<&'d str, Declared<'d>>,
    pages: &'d Pages,
    costs: HashMap<&'a str, Arc<Cost>>,
    /// Set when a fragment spreads itself, be it through others.
    is_cyclic: bool,
}

impl<'d, 'a> Walk<'d, 'a> {
    fn new(
        document: &'d [Definition<'a, DefaultScalarValue>],
        root: Option<&'d Spanning<Operation<'a, DefaultScalarValue>>>,
        pages: &'d Pages,
    ) -> Self {
        let fragments = document.iter().filter_map(|definition| match definition {
            Definition::Fragment(fragment) => Some((fragment.item.name.item, &fragment.item.selection_set)),
            Definition::Operation(_) => None,
        });
        let definitions = root.and_then(|root| root.item.variables_definition.as_ref());
        let variables = definitions.into_iter().flat_map(|variables| variables.item.iter());
        let variables = variables.map(|(name, variable)| {
            let type_name = variable.var_type.item.innermost_name();
            let default = variable.default_value.as_ref().map(|default| &default.item);
            (name.item, Declared { type_name, default })
        });
        Self {
            fragments: fragments.collect(),
            variables: variables.collect(),
            pages,
            costs: HashMap::new(),
            is_cyclic: false,
        }
    }

    /// The cost of selections. A fragment that is open already forms a cycle, which validation refuses.
    fn cost(&mut self, selections: &'d [Selection<'a>], open: &mut Vec<&'a str>) -> Cost {
        let mut cost = Cost::default();
        for selection in selections {
            cost.selections = cost.selections.saturating_add(1);
            match selection {
                Selection::Field(field) => {
                    let name = field.item.name.item;
                    let below = self.cost(field.item.selection_set.as_deref().unwrap_or_default(), open);
                    cost.selections = cost.selections.saturating_add(below.selections);
                    if is_introspection(name) {
                        continue;
                    }
                    cost.fields = cost.fields.saturating_add(1);
                    cost.depth = cost.depth.max(below.depth + 1);
                    let arguments = field.item.arguments.as_ref().map_or(&[][..], |given| &given.item.items);
                    let rows = self.pages.asked(name, arguments, &self.variables);
                    if rows.is_empty() {
                        cost.add(below);
                    } else {
                        cost.lists.push((rows, Arc::new(below)));
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
                    cost.lists.push((Vec::new(), below));
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

fn check_root(fields: &[&str]) -> Result<()> {
    let mut times: HashMap<&str, u64> = HashMap::new();
    for field in fields {
        *times.entry(field).or_default() += 1;
    }
    Bound::Aliases.check(times.values().copied().max().unwrap_or_default())?;
    Bound::RootFields.check(fields.len() as u64)
}

fn is_introspection(field: &str) -> bool {
    matches!(field, "__schema" | "__type" | "__typename")
}

#[cfg(test)]
mod tests {
    use juniper::{
        EmptyMutation, EmptySubscription, GraphQLInputObject, RootNode, graphql_object,
        parser::parse_document_source,
    };
    use serde_json::json;

    use super::*;
    use crate::Code;

    const DEPTH: usize = 12;
    const ALIASES: usize = 20;

    #[derive(GraphQLInputObject)]
    struct Page {
        limit: Option<i32>,
        search: Option<String>,
    }

    #[derive(GraphQLInputObject)]
    struct Filter {
        page: Option<Page>,
    }

    #[derive(GraphQLInputObject)]
    struct Other {
        search: Option<String>,
    }

    struct Query;

    #[graphql_object]
    impl Query {
        fn ping(_n: Option<i32>) -> bool {
            true
        }
        fn rows(
            _search: Option<String>,
            _limit: Option<i32>,
            _page: Option<Page>,
            _filter: Option<Filter>,
            _other: Option<Other>,
        ) -> bool {
            true
        }
    }

    /// Measuring needs no schema that knows every field.
    fn measured(source: &str, variables: Value) -> Result<u64> {
        let schema = RootNode::new(Query, EmptyMutation::<()>::new(), EmptySubscription::<()>::new());
        let known = Known { pages: Pages::of(&schema.schema), census: Census::of(&schema.schema) };
        let document = parse_document_source(source, &schema.schema).unwrap();
        let measured = Measured::of(&document, None, &known)?;
        measured.check_cost(&known, &variables.as_object().cloned().unwrap_or_default())
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
        assert_eq!(measured(cycle, json!({})), Ok(0), "left to validation");
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
        assert!(
            measured(&format!("{{ ...f0 }} {fragments}"), json!({})).is_ok(),
            "cycles are left to validation"
        );
    }

    #[test]
    fn the_same_root_field_may_be_asked_for_twenty_times_and_forty_in_all() {
        let asked = |times: usize| {
            let fields: String = (0..times).map(|n| format!("a{n}: ping ")).collect();
            measured(&format!("{{ {fields} }}"), json!({}))
        };
        assert_eq!(asked(ALIASES), Ok(20));
        assert_eq!(asked(ALIASES + 1).unwrap_err().details.unwrap()["limit"], "aliases");
        let spread = format!("{{ {} }} fragment f on Query {{ ping }}", "...f ".repeat(ALIASES + 1));
        assert!(measured(&spread, json!({})).is_err(), "fragments hide no alias");
        let fields = |count: usize| (0..count).map(|n| format!("f{n} ")).collect::<String>();
        assert_eq!(measured(&format!("{{ {} }}", fields(40)), json!({})), Ok(40));
        let error = measured(&format!("{{ {} }}", fields(41)), json!({})).unwrap_err();
        assert_eq!(error.details.unwrap()["limit"], "root_fields");
    }

    fn cost(field: &str, variables: Value) -> Result<u64> {
        let page = "query($s: String, $n: Int, $d: Int = 100, $page: Page, $filter: Filter, $other: Other, \
                    $given: Page = { limit: 50 }) { %FIELD% { a b c } }";
        measured(&page.replace("%FIELD%", field), variables)
    }

    #[test]
    fn a_limit_multiplies_what_is_below_it() {
        assert_eq!(cost("unpaged", json!({})), Ok(4));
        assert_eq!(cost("rows(limit: 10)", json!({})), Ok(4));
        assert_eq!(cost("rows(limit: 100)", json!({})), Ok(31));
        assert_eq!(cost("rows(limit: $n)", json!({ "n": 11 })), Ok(7));
        assert_eq!(cost("rows(page: { limit: 30 })", json!({})), Ok(10));
        assert_eq!(cost("rows(page: $page)", json!({ "page": { "limit": 30 } })), Ok(10));
        let error = cost("rows(limit: $n)", json!({ "n": 1_000_000 })).unwrap_err();
        assert_eq!(error.details.unwrap()["limit"], "complexity");
        assert!(cost("rows(limit: $n)", json!({ "n": u64::MAX })).is_err(), "no overflow");
        assert_eq!(cost("rows(limit: $n)", json!({ "n": -1 })), Ok(4), "refused by the operation itself");
    }

    #[test]
    fn no_argument_hides_the_limit_of_another() {
        for (field, variables) in [
            ("rows(search: $s, limit: 100)", json!({})),
            ("rows(search: $s, limit: 100)", json!({ "s": "text" })),
            ("rows(limit: 100, search: $s)", json!({})),
            ("rows(search: $s, limit: $n)", json!({ "n": 100 })),
            ("rows(limit: $n, search: $s)", json!({ "n": 100 })),
            ("rows(other: $other, limit: $n)", json!({ "n": 100, "other": { "limit": 1 } })),
            ("rows(page: { search: $s, limit: $n })", json!({ "n": 100 })),
            ("rows(page: $page, search: $s)", json!({ "page": { "search": "a", "limit": 100 } })),
            ("rows(limit: 10, page: $page)", json!({ "page": { "limit": 100 } })),
            ("rows(page: { limit: 10 }, limit: 100)", json!({})),
            ("rows(filter: { page: { limit: 100 } })", json!({})),
            ("rows(filter: { page: $page })", json!({ "page": { "limit": 100 } })),
            ("rows(search: $s, filter: $filter)", json!({ "filter": { "page": { "limit": 100 } } })),
        ] {
            assert_eq!(cost(field, variables.clone()), Ok(31), "{field} {variables}");
        }
    }

    #[test]
    fn defaults_count() {
        for field in ["rows", "rows(limit: $n)", "rows(search: $s)", "rows(page: $page)", "rows(limit: null)"]
        {
            assert_eq!(cost(field, json!({})), Ok(10), "{field}: a page of 25");
        }
        assert_eq!(cost("rows(limit: $d)", json!({})), Ok(31));
        assert_eq!(cost("rows(limit: $d)", json!({ "d": 10 })), Ok(4));
        let null = cost("rows(limit: $d)", json!({ "d": null }));
        assert_eq!(null, Ok(31), "null asks for a page of 25 and counts as the default, which is more");
        assert_eq!(cost("rows(page: $given)", json!({})), Ok(16));
    }

    #[test]
    fn a_variable_counts_only_as_what_it_is_declared_as() {
        assert_eq!(cost("rows(limit: 10, other: $other)", json!({ "other": { "limit": 1_000_000 } })), Ok(4));
        assert_eq!(cost("rows(limit: 10, search: $s)", json!({ "s": { "limit": 1_000_000 } })), Ok(4));
    }

    #[test]
    fn introspection_has_no_cost_and_is_bounded_where_lists_multiply() {
        let deep = format!("{{ __schema {} ping }}", nested(40));
        assert_eq!(measured(&deep, json!({})), Ok(1));
        let of = |levels: usize| {
            format!("{{ __schema {{ {}name{} }} }}", "types { ".repeat(levels), " }".repeat(levels))
        };
        assert_eq!(measured(&of(1), json!({})), Ok(0));
        let error = measured(&of(8), json!({})).unwrap_err();
        assert_eq!(error.details.unwrap()["limit"], "introspection");
        let fragment = of(8).replace("{ __schema", "{ ...f } fragment f on Query { __schema");
        assert!(measured(&fragment, json!({})).is_err(), "fragments hide no list");
    }
}
