//! Start and end of accounts and memberships, shared by all domains that start or end them
//! (reference/accounts.md#account).

mod create;
mod end;
mod erase;
mod membership;
mod permission_holders;
mod webhook_endpoints;

pub use create::{MAX_NAME_LENGTH, NewAccount, Ownership, create_with_default_roles, ownership};
pub use end::end_account;
pub use erase::{ERASURE_INTERVAL, empty_deliveries, erase_rows, erase_stored_answers, storage_prefix};
pub use membership::{Added, MAX_MEMBERS, MemberChange, add_member, end_membership, publish_member_change};
pub use permission_holders::permission_holders;
pub use webhook_endpoints::{DisabledReason, disable_webhook_endpoints};
