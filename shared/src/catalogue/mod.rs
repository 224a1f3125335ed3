//! Seed data of the product: permissions, default roles, feature flags and plans.

mod features;
mod permissions;
mod plans;
mod roles;
mod set;

pub use features::{DEFAULT_OFF_FEATURES, FEATURES, Feature, FeatureCategory, FeatureSeed};
pub use permissions::{AccountPermission, AdminPermission, TeamPermission, UserPermission};
pub use plans::{FREE_PLAN, PLANS, PlanSeed, UNLIMITED};
pub use roles::{
    AccountRoleSeed, AdminRoleSeed, UserRoleSeed, account_roles, assignable_user_permissions, is_reserved,
    key_denied, key_user_permissions, system_admin, user_roles,
};
pub use set::{Permission, PermissionSet};
