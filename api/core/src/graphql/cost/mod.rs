//! Cost of an operation (reference/graphql.md#cost), measured before its execution.
//!
//! A field costs 1 and the cost of its selections. Below a field with a `limit` the cost counts once for
//! every ten rows begun, so that a page of a hundred costs ten times its row. Introspection reads no data and
//! has no cost; its response has its own bound.

use std::{collections::HashMap, sync::Arc};

use juniper::{DefaultScalarValue, Definition, Operation, OperationType, Selection, Spanning};
use serde_json::{Map, Value};

use super::{
    introspection::{Census, introspects_only},
    limits::Bound,
    rows::{Declared, Pages, Rows, weight},
};
use crate::Result;

/// Facts about a schema that the measurement needs.
#[derive(Debug, Default)]
pub struct Known {
    /// Places of limits.
    pub pages: Pages,
    /// Numbers of types and fields.
    pub census: Census,
}

/// Number of values of an introspection response that count as one request. Every value of such a response
/// takes processor time, and a response with the whole schema has tens of thousands.
const VALUES_PER_REQUEST: u64 = 10_000;

/// A measured operation. Its cost may still depend on variables.
#[derive(Debug)]
pub struct Measured {
    cost: Arc<Cost>,
    /// Estimated values of an introspection response.
    introspected: u64,
    introspects_only: bool,
    mutation_fields: usize,
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
    /// Measures one operation of a parsed document. Its depth and aliases are checked; its cost is kept for
    /// [`Measured::check_cost`]. A document without the operation is left to validation.
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
            // Validation refuses it. Following the spreads again, also to add up the cost, might never end.
            return Ok(Self {
                cost: Arc::default(),
                introspected: 0,
                introspects_only: false,
                mutation_fields: 0,
            });
        }
        // First, because it bounds the walks that follow spreads without remembering them.
        Bound::Expanded.check(cost.selections)?;
        let mut root_fields = Vec::new();
        walk.root_fields(selections, &mut root_fields);
        check_root(&root_fields)?;
        Bound::Depth.check(cost.depth as u64)?;
        let introspected = known.census.answered(selections, &walk.fragments);
        let introspects_only =
            introspected > 0 && root.is_some_and(|root| introspects_only(&root.item, &walk.fragments));
        let bound = if introspects_only { Bound::Introspection } else { Bound::MixedIntrospection };
        bound.check(introspected)?;
        let is_mutation = root.is_some_and(|root| root.item.operation_type == OperationType::Mutation);
        let operations = root_fields.iter().filter(|field| is_mutation && !is_introspection(field));
        Ok(Self { cost, introspected, introspects_only, mutation_fields: operations.count() })
    }

    /// True for a query that introspects and selects nothing else, and has neither variables nor directives.
    #[must_use]
    pub const fn introspects_only(&self) -> bool {
        self.introspects_only
    }

    /// Number of fields of a mutation, also those that a directive may skip; 0 for a query.
    #[must_use]
    pub const fn mutation_fields(&self) -> usize {
        self.mutation_fields
    }

    /// Returns the number of requests that the operation counts as: one, and one more for each 10,000 values
    /// of an introspection response.
    #[must_use]
    pub const fn requests(&self) -> u64 {
        1 + self.introspected / VALUES_PER_REQUEST
    }

    /// Checks the cost with the variables of a request, and returns it.
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

    /// Adds a cost of the next deeper level; the caller sets the depth.
    fn add(&mut self, below: Self) {
        self.fields = self.fields.saturating_add(below.fields);
        self.lists.extend(below.lists);
    }

    /// Adds a cost of the same level.
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
    /// True when a fragment spreads itself, also through others.
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

    /// Cost of selections. A fragment that is already open forms a cycle, which validation refuses.
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

    /// Collects root fields, also those within fragments. Walks every spread, so their number must be known
    /// to be bounded.
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
mod tests;
