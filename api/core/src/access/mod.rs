//! Who may do what: the rule that an operation declares, the credential that a request brings, and the one place
//! where they meet, [`Cx::authorize`].

mod authority;
mod callers;
mod credential;
mod cx;
mod feature_status;
mod features;
mod features_changed;
mod features_platforms;
mod grants;
mod jwt;
mod lookups;
mod operation;
mod permissions;
mod principal;
mod rights;
mod session;
mod standing;

pub use authority::{AccountAuthority, lock_account_rights};
pub use callers::{
    AccountCaller, Admin, Authenticated, Caller, Developer, ExtensionHolder, Member, Participant,
    PopoutHolder, SessionHolder, SignedIn, System, Visitor,
};
pub use credential::{Credential, Presented, Resolved, SessionRecord, Transport, popout_token, resolve};
pub use cx::{Cx, RequestInfo};
pub use feature_status::{FeatureDisabledReason, FeatureStatus, account_creation};
pub use features::{AccountFeatures, FeatureState, account_features, global_features};
pub use features_changed::FeaturesOf;
pub use features_platforms::{PlatformUse, require_platform};
pub use grants::Grants;
pub use jwt::{Claims, Jwt, TokenType};
pub use lookups::Lookups;
pub use operation::{AnyOperation, Needs, Operation, Rule, Who};
pub use permissions::{
    AccountCreationOverride, AccountScopes, AdminScopes, MemberAccess, Rights, UserAccess, UserScopes,
    admin_permissions, effective_user_roles, member_access, member_rights, service_key_rights, user_access,
};
pub use principal::Principal;
pub use session::{SessionToken, act_in, session_token};
pub use standing::{Standing, Standings, standings};
