//! Sign-in of a person: sessions, login connections, and changes of both that a session must confirm.

pub mod login_connections;
pub mod sessions;
pub mod sign_in_changes;
