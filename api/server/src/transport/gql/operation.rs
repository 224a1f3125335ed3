//! Valid operations, which hold the text that they are read from.

use api_core::Cx;
use juniper::{EmptySubscription, ValidatedOperation, Variables};
use self_cell::self_cell;

use super::answer::{Executed, Refusal};
use crate::graphql::{Mutation, Query, Schema};

type Validated<'source> = ValidatedOperation<'source, Query, Mutation, EmptySubscription<Cx>>;

self_cell!(
    /// Valid operation of a document.
    pub struct Operation {
        owner: String,
        #[covariant]
        dependent: Validated,
    }
);

impl Operation {
    /// Validates the operation of this name in a document, or the only one.
    ///
    /// # Errors
    /// A document that does not fit the schema.
    pub fn validated(
        source: String,
        operation: Option<&str>,
        schema: &'static Schema,
    ) -> Result<Self, Refusal> {
        Ok(Self::try_new(source, |source| Validated::new(source, operation, schema))?)
    }

    /// Text of the document.
    pub fn source(&self) -> &str {
        self.borrow_owner()
    }

    /// Executes the operation.
    ///
    /// # Errors
    /// Variables that do not fit their declaration.
    pub async fn execute(&self, variables: &Variables, cx: &Cx) -> Result<Executed, Refusal> {
        Ok(self.borrow_dependent().execute(variables, cx).await?)
    }
}
