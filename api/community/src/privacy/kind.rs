//! Kinds of erasures (reference/privacy.md#record-of-an-erasure).

/// Kind of an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// YouTube channel as a viewer.
    YoutubeMember,
    /// Person who chatted.
    ChatSubject,
}

impl Kind {
    /// Name in the record.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::YoutubeMember => "youtube_member",
            Self::ChatSubject => "chat_subject",
        }
    }

    /// Kind of a record; `None` for a text that no version writes.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::YoutubeMember, Self::ChatSubject].into_iter().find(|kind| kind.as_str() == text)
    }

    /// Action of the audit entries.
    pub const fn action(self) -> &'static str {
        match self {
            Self::YoutubeMember => "youtube_member_erasure",
            Self::ChatSubject => "chat_pii_erasure",
        }
    }
}
