//! Access control: the rule that an operation declares, the credential of a request, and [`Cx::authorize`],
//! which checks one against the other.
//!
//! Accounts are the tenants. Code outside makes no [`AccountId`](shared::id::AccountId) from a UUID, for
//! example one that a client sent:
//!
//! ```compile_fail,E0423
//! use shared::id::AccountId;
//!
//! fn named(id: uuid::Uuid) -> AccountId {
//!     AccountId(id)
//! }
//! ```
//!
//! ```compile_fail,E0308
//! use shared::id::AccountId;
//!
//! fn named(id: uuid::Uuid) -> AccountId {
//!     AccountId::from(id)
//! }
//! ```
//!
//! A caller gives it: its own account, or as staff the one that a path names. Other ids are read as usual:
//!
//! ```
//! use api_core::access::{Admin, Member};
//! use shared::id::{AccountId, UserId};
//! use uuid::Uuid;
//!
//! fn own(member: &Member) -> AccountId {
//!     member.account
//! }
//!
//! fn named(admin: &Admin, id: Uuid) -> (AccountId, UserId) {
//!     (admin.account(id), UserId::from(id))
//! }
//! ```

mod account_creation;
mod authority;
mod authorize;
mod caller_rights;
mod callers;
mod credential;
mod credential_status;
mod cx;
mod databases;
pub mod descriptions;
mod explain;
mod feature_status;
mod features;
mod features_changed;
mod features_platforms;
mod grants;
pub(crate) mod idempotency;
mod jwt;
mod known_operations;
mod lookups;
mod operation;
mod permissions;
mod principal;
mod resolve;
mod rights;
mod rule;
mod session;
mod stored_credentials;
mod system;
mod teams;

pub use account_creation::account_creation;
pub use authority::{AccountAuthority, lock_account_rights};
pub use callers::{
    AccountCaller, Admin, Authenticated, Caller, Developer, ExtensionHolder, Member, Participant,
    PopoutHolder, SessionHolder, SignedIn, System, TeamCaller, TeamMember, Visitor,
};
pub use credential::{Credential, Presented, Resolved, SessionRecord, Transport};
pub use credential_status::{CredentialStatus, CredentialStatuses, credential_statuses};
pub use cx::{Cx, RequestInfo};
pub use databases::{DatabaseAccess, GuardedDatabases, read_on_replica};
pub use explain::{
    AccessStepEffect, AccessStepKind, Explanation, Step, Subject, key_subject, member_subject,
};
pub use feature_status::{AccountFeatures, FeatureDisabledReason, FeatureState, FeatureStatus};
pub use features::{account_features, global_features};
pub use features_changed::FeaturesOf;
pub use features_platforms::{PlatformUse, require_platform};
pub use grants::Grants;
pub use idempotency::{Answer, Idempotency, TransactionEffect, key_of};
pub use jwt::{Claims, Jwt, TokenType};
pub use known_operations::{KnownOperations, RulesByName};
pub use lookups::Lookups;
pub use operation::{AnyOperation, Operation};
pub use permissions::{
    admin_permissions, effective_user_roles, member_access, member_rights, named_account, service_key_rights,
    user_access,
};
pub use principal::Principal;
pub use resolve::{popout_token, resolve};
pub use rights::{
    AccountCreationOverride, AccountScopes, AdminScopes, MemberAccess, Rights, UserAccess, UserScopes,
};
pub use rule::{Needs, Rule, Who};
pub use session::{SessionToken, act_in, session_token};
pub use system::{SystemAccess, SystemReason};
pub use teams::{TeamMembership, TeamScopes, team_membership, team_not_found};
