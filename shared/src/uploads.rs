//! Uploaded files (reference/media.md#uploads).

/// Purpose of documents of developers. They are for the owner of the account and reviewers of staff only, and no media.
pub const DEVELOPER_DOCUMENT: &str = "developer_document";
