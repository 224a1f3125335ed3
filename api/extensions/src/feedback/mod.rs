//! Feedback of testers on a version (reference/developers.md#feedback).

mod db;
pub mod graphql;
pub mod rest;

use api_core::{
    ApiError, Code, Cx, Input, Operation, Result, Timestamp,
    access::{AccountCaller, AnyOperation, Grants},
    validate,
};
use diesel_async::AsyncConnection;
use extension_model::developers;
use foundation::audit::Entry;
use juniper::{GraphQLEnum, GraphQLInputObject, GraphQLObject};
use notices::notify::{self, Notice};
use serde::{Deserialize, Serialize};
use serde_json::json;
use shared::catalogue::{AccountPermission, Feature};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::installs;

/// Every operation of this resource.
pub static OPERATIONS: &[&dyn AnyOperation] = &[&SUBMIT_EXTENSION_FEEDBACK];

const MAX_BODY_LENGTH: usize = 2000;
/// Maximum number of entries of one tester about one version.
const MAX_FEEDBACK: i64 = 100;

/// Feedback of a tester on a version.
#[derive(Debug, Clone, Serialize, GraphQLObject, ToSchema)]
pub struct ExtensionFeedback {
    /// Id.
    pub id: Uuid,
    /// Extension.
    pub extension_id: Uuid,
    /// Semantic version.
    pub version: String,
    /// Subject.
    pub category: FeedbackCategory,
    /// Text.
    pub body: String,
    /// Time of the feedback.
    pub created_at: Timestamp,
}

/// Subject of feedback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FeedbackCategory {
    /// A fault.
    Bug,
    /// The appearance.
    Visual,
    /// A missing feature.
    Feature,
    /// Any other comment.
    Comment,
}

/// New feedback of a tester.
#[derive(Debug, Clone, Deserialize, GraphQLInputObject, ToSchema)]
#[schema(example = json!({ "category": "bug", "body": "The greeting comes twice." }))]
pub struct SubmitExtensionFeedbackInput {
    /// Subject.
    pub category: FeedbackCategory,
    /// 1 to 2,000 characters.
    #[schema(extensions(("maxLength" = json!(MAX_BODY_LENGTH))))]
    pub body: String,
}

pub static SUBMIT_EXTENSION_FEEDBACK: Operation<AccountCaller> =
    Operation::account("submitExtensionFeedback", AccountPermission::ExtensionStoreRead, Grants::Nothing)
        .feature(Feature::Extensions)
        .idempotent();

/// Sends feedback on the version in testing that an install runs.
///
/// The developer of the extension is notified. Feedback cannot be changed or deleted.
///
/// # Errors
/// - 401 or 403 by the access rule.
/// - 400 for an invalid field.
/// - 403 for a popout of another member, and for a caller who is not a tester of the extension.
/// - 403 `PLAN_LIMIT_REACHED` above 100 entries of one tester about one version.
/// - 404 when the account has no such install.
/// - 409 when the installed version is not in testing.
#[api_core::operation]
pub async fn submit_extension_feedback(
    cx: &Cx,
    id: Input<Uuid>,
    input: Input<SubmitExtensionFeedbackInput>,
) -> Result<ExtensionFeedback> {
    let caller = cx.authorize(&SUBMIT_EXTENSION_FEEDBACK).await?;
    let person = cx.person()?;
    let (id, input) = (id?, input?);
    let body = validate::long_text("body", &input.body, 1, MAX_BODY_LENGTH)?;
    let now = cx.state().clock.now();
    caller
        .db()
        .await?
        .transaction(async |connection| {
            let tested = db::tested(connection, caller.account, id, person).await?;
            let tested = tested.ok_or_else(installs::not_found)?;
            let user = person.filter(|_| tested.is_tester);
            let user = user.ok_or_else(|| ApiError::forbidden("Only testers can give feedback"))?;
            if tested.status != "testing" {
                return Err(ApiError::conflict("The installed version is not in testing"));
            }
            if db::count(connection, &tested, user).await? >= MAX_FEEDBACK {
                let error = ApiError::new(Code::PlanLimitReached, "Feedback limit reached");
                return Err(error.with_details(json!({ "limit": MAX_FEEDBACK })));
            }
            let new = db::NewFeedback {
                id: shared::id::new(),
                extension_id: tested.extension_id,
                version_id: tested.version_id,
                account_id: caller.account,
                user_id: user,
                category: input.category.as_str(),
                body: &body,
                created_at: now,
            };
            db::insert(connection, &new).await?;
            let (extension_name, people) = developers(connection, tested.extension_id).await?;
            let notice = Notice::TesterFeedback {
                extension_id: tested.extension_id,
                extension_name: &extension_name,
                version: &tested.version,
                category: new.category,
                body: &body,
            };
            notify::notify(connection, &people, &notice, now).await?;
            let entry = Entry {
                metadata: json!({ "extension_id": tested.extension_id, "version": tested.version }),
                ..cx.audit("extension:feedback_given", "extension_feedback", new.id)
            };
            foundation::audit::record(connection, entry).await?;
            Ok(ExtensionFeedback {
                id: new.id,
                extension_id: tested.extension_id,
                version: tested.version,
                category: input.category,
                body: body.clone(),
                created_at: now.into(),
            })
        })
        .await
}

impl FeedbackCategory {
    /// Stored name.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Bug => "bug",
            Self::Visual => "visual",
            Self::Feature => "feature",
            Self::Comment => "comment",
        }
    }
}
