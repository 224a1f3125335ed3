//! Accounts.

#[expect(
    clippy::module_inception,
    reason = "the folder is the domain, the file its resource of the same name"
)]
mod accounts;
