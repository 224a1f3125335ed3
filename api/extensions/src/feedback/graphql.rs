//! Feedback of testers over GraphQL.

use api_core::{Cx, Result};
use juniper::graphql_object;
use uuid::Uuid;

use super::{ExtensionFeedback, SubmitExtensionFeedbackInput};

/// Mutations of feedback.
pub struct FeedbackMutations;

#[graphql_object(context = Cx)]
impl FeedbackMutations {
    async fn submit_extension_feedback(
        ctx: &Cx,
        id: Uuid,
        input: SubmitExtensionFeedbackInput,
    ) -> Result<ExtensionFeedback> {
        super::submit_extension_feedback(ctx, Ok(id), Ok(input)).await
    }
}
