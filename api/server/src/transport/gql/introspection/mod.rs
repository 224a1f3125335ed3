//! Introspection from a tree that is built once.
//!
//! The library resolves each value of a schema anew. A question of explorers has tens of thousands, which would
//! occupy a thread for long. An operation that only introspects, without variables, is compiled to a plan instead,
//! and the plan copies what it selects from the tree. All other operations are left to the library, and may
//! introspect little (reference/graphql.md#introspection).

mod plan;
mod tree;

use api_core::{Cx, Result};
use juniper::Variables;
use serde_json::value::RawValue;
use tokio::sync::OnceCell;

pub use plan::Plan;
use tree::Tree;

use super::{answer::Refusal, operation::Operation};
use crate::graphql::Schema;

/// Introspection of one schema.
#[derive(Default)]
pub struct Introspection {
    tree: OnceCell<Tree>,
}

impl Introspection {
    /// Executes a plan.
    ///
    /// # Errors
    /// The whole schema cannot be read.
    pub async fn answer(
        &self,
        plan: &Plan,
        schema: &'static Schema,
        cx: &Cx,
    ) -> Result<Box<RawValue>, Refusal> {
        let tree = self.tree.get_or_try_init(|| read(schema, cx)).await?;
        Ok(tree.answer(plan)?)
    }
}

/// Reads the whole schema with the library.
async fn read(schema: &'static Schema, cx: &Cx) -> Result<Tree, Refusal> {
    let question = Operation::validated(tree::whole_schema(), None, schema)?;
    let (data, errors) = question.execute(&Variables::new(), cx).await?;
    Ok(Tree::of(&data, &errors)?)
}
