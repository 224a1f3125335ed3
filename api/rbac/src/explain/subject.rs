//! Subjects that a request names.

use api_core::{
    ApiError, Cx, Result,
    access::{Principal, Subject, key_subject, member_subject},
};
use shared::id::AccountId;
use uuid::Uuid;

const KEY_PREFIX: &str = "key:";

/// Subject as the request names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RequestedSubject {
    /// The caller.
    Caller,
    /// A member, by the id of the person.
    Member(Uuid),
    /// A service or personal key.
    Key(Uuid),
}

/// Subject that was found.
pub(super) struct NamedSubject {
    /// Credential of the subject.
    pub subject: Subject,
    /// Name of the subject in the response.
    pub text: String,
    /// True when the caller explains the own rights.
    pub is_caller: bool,
}

impl NamedSubject {
    /// Reads the name of a subject.
    ///
    /// # Errors
    /// 400 for a malformed one.
    pub fn parse(text: Option<&str>) -> Result<RequestedSubject> {
        let Some(text) = text else { return Ok(RequestedSubject::Caller) };
        let malformed =
            || ApiError::invalid("subject must be the id of a member, or key: and the id of a key");
        let parsed = match text.strip_prefix(KEY_PREFIX) {
            Some(key) => Uuid::try_parse(key).map(RequestedSubject::Key),
            None => Uuid::try_parse(text).map(RequestedSubject::Member),
        };
        parsed.map_err(|_malformed| malformed())
    }
}

impl RequestedSubject {
    /// Finds the subject in an account.
    ///
    /// # Errors
    /// 404 when the account has no such member or key.
    pub async fn find(self, cx: &Cx, account: AccountId) -> Result<NamedSubject> {
        let state = cx.state();
        let found = match self {
            Self::Caller => {
                let subject = Subject::caller(cx);
                return Ok(NamedSubject { text: name(subject.principal()), subject, is_caller: true });
            }
            Self::Member(user) => member_subject(state, account, user).await?,
            Self::Key(key) => key_subject(state, account, key).await?,
        };
        let subject = found.ok_or_else(|| ApiError::not_found("Subject not found"))?;
        let text = match self {
            Self::Key(key) => format!("{KEY_PREFIX}{key}"),
            Self::Caller | Self::Member(_) => name(subject.principal()),
        };
        Ok(NamedSubject { is_caller: is_same_person(cx.principal(), &subject), text, subject })
    }
}

/// True when the caller is the person of the subject, by session: a key of a person carries a part of the rights only.
fn is_same_person(caller: &Principal, subject: &Subject) -> bool {
    matches!(caller, Principal::Session { user, .. } if subject.principal().user() == Some(*user))
}

fn name(principal: &Principal) -> String {
    match principal {
        Principal::Session { user, .. } => user.to_string(),
        Principal::PersonalKey { id, .. } | Principal::ServiceKey { id, .. } => format!("{KEY_PREFIX}{id}"),
        Principal::Popout { id, .. } => format!("popout:{id}"),
        other => other.kind().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_subject_is_a_member_or_a_key_or_the_caller() {
        let id = Uuid::now_v7();
        let parsed = |text: &str| NamedSubject::parse(Some(text));
        assert_eq!(NamedSubject::parse(None), Ok(RequestedSubject::Caller));
        assert_eq!(parsed(&id.to_string()), Ok(RequestedSubject::Member(id)));
        assert_eq!(parsed(&format!("key:{id}")), Ok(RequestedSubject::Key(id)));
        for malformed in ["", "key:", "key:x", "x", &format!("popout:{id}")] {
            assert!(parsed(malformed).is_err(), "{malformed}");
        }
    }
}
