//! Estimated work of merging fields, checked before a document is validated.
//!
//! Validation compares, in each selection set, every two fields of one name with all selections below them,
//! each set with each fragment that it reaches, and each fragment with each other one.

use std::collections::HashMap;

use juniper::{DefaultScalarValue, Definition, Selection};

use super::limits::Bound;
use crate::Result;

/// Refuses a document whose fields take too many comparisons.
///
/// # Errors
/// 400 `QUERY_TOO_COMPLEX`.
pub fn check_overlaps(document: &[Definition<'_, DefaultScalarValue>]) -> Result<()> {
    let (mut walk, mut fragments, mut in_fragments) = (Walk::default(), 0, 0);
    for definition in document {
        let selections = match definition {
            Definition::Operation(operation) => &operation.item.selection_set,
            Definition::Fragment(fragment) => {
                fragments += 1;
                in_fragments += sum(&fragment.item.selection_set);
                &fragment.item.selection_set
            }
        };
        walk.set(selections)?;
    }
    walk.add((fragments + walk.spreads).saturating_mul(in_fragments))
}

#[derive(Default)]
struct Walk {
    comparisons: u64,
    spreads: u64,
}

/// Number of fields of one name in a set, and of the selections below all of them.
type Names<'a> = HashMap<&'a str, (u64, u64)>;

impl Walk {
    fn set<'a>(&mut self, selections: &[Selection<'a>]) -> Result<()> {
        let mut names: Names<'a> = HashMap::new();
        self.add(gather(selections, &mut names))?;
        let repeated = names.values().filter(|(times, _)| *times > 1);
        self.add(repeated.map(|(times, below)| times * below).sum())?;
        for selection in selections {
            match selection {
                Selection::Field(field) => {
                    if let Some(nested) = &field.item.selection_set {
                        self.set(nested)?;
                    }
                }
                Selection::InlineFragment(inline) => self.set(&inline.item.selection_set)?,
                Selection::FragmentSpread(_) => self.spreads += 1,
            }
        }
        Ok(())
    }

    fn add(&mut self, comparisons: u64) -> Result<()> {
        self.comparisons = self.comparisons.saturating_add(comparisons);
        Bound::Overlaps.check(self.comparisons)
    }
}

/// Counts the fields of a set by name, those within inline fragments included, and returns their number.
fn gather<'a>(selections: &[Selection<'a>], names: &mut Names<'a>) -> u64 {
    let mut count = 0;
    for selection in selections {
        match selection {
            Selection::Field(field) => {
                let name = field.item.alias.as_ref().unwrap_or(&field.item.name).item;
                let known = names.entry(name).or_default();
                known.0 += 1;
                known.1 += 1 + field.item.selection_set.as_deref().map_or(0, sum);
                count += 1;
            }
            Selection::InlineFragment(inline) => count += 1 + gather(&inline.item.selection_set, names),
            Selection::FragmentSpread(_) => count += 1,
        }
    }
    count
}

/// Number of selections at any depth, with their arguments.
fn sum(selections: &[Selection<'_>]) -> u64 {
    let below = selections.iter().map(|selection| match selection {
        Selection::Field(field) => {
            let arguments = field.item.arguments.as_ref().map_or(0, |given| given.item.items.len() as u64);
            1 + arguments + field.item.selection_set.as_deref().map_or(0, sum)
        }
        Selection::InlineFragment(inline) => 1 + sum(&inline.item.selection_set),
        Selection::FragmentSpread(_) => 1,
    });
    below.sum()
}

#[cfg(test)]
mod tests {
    use juniper::{
        EmptyMutation, EmptySubscription, RootNode, graphql_object, parser::parse_document_source,
    };

    use super::*;

    struct Query;

    #[graphql_object]
    impl Query {
        fn ping() -> bool {
            true
        }
    }

    fn comparisons(source: &str) -> Option<u64> {
        let schema = RootNode::new(Query, EmptyMutation::<()>::new(), EmptySubscription::<()>::new());
        let document = parse_document_source(source, &schema.schema).unwrap();
        check_overlaps(&document).err()?.details?["asked"].as_u64()
    }

    #[test]
    fn overlaps_accept_large_documents_of_clients() {
        let fields = |n: usize| (0..n).map(|f| format!("f{f} ")).collect::<String>();
        let fragments: String =
            (0..20).map(|n| format!("fragment f{n} on A {{ {} }} ", fields(30))).collect();
        let spreads: String = (0..40).map(|n| format!("...f{} ", n % 20)).collect();
        assert_eq!(comparisons(&format!("{{ a {{ {spreads} }} }} {fragments}")), None);
        assert_eq!(comparisons(&format!("{{ {} }}", fields(2000))), None);
    }

    #[test]
    fn overlaps_count_repeated_fields_and_sibling_and_nested_fragments() {
        assert!(comparisons(&format!("{{ a {{ {} }} }}", "b ".repeat(400))).is_some());
        let subtree = format!("a {{ {} }} ", (0..200).map(|n| format!("f{n} ")).collect::<String>());
        assert!(comparisons(&format!("{{ {} }}", subtree.repeat(20))).is_some(), "what is below counts too");
        let inline = format!("{{ {} {} {} }}", "... { ".repeat(50), "a:b ".repeat(250), "} ".repeat(50));
        assert!(comparisons(&inline).is_some());
        let beside: String =
            (0..50).map(|n| format!("fragment f{n} on A {{ {} }} ", "a ".repeat(12))).collect();
        assert!(comparisons(&format!("{{ {} }} {beside}", "...f0 ".repeat(50))).is_some());
    }
}
