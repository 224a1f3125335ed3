//! How accounts and memberships begin and end, once for everybody who begins or ends them (specification A §4.3, §5.3;
//! C §2.2, §3, §4).

mod create;
mod end;
mod erase;
mod membership;

pub use create::{MAX_NAME_LENGTH, NewAccount, Ownership, create_with_default_roles, ownership};
pub use end::end_account;
pub use erase::{ERASURE_INTERVAL, empty_deliveries, erase_rows, storage_prefix};
pub use membership::{Added, MAX_MEMBERS, MemberChange, add_member, end_membership, tell_of_member};
