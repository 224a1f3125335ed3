//! Validated form of a partial update of the current user (reference/users.md#updating-the-current-user).

use api_core::{ApiError, Patch, Result, validate};
use diesel::AsChangeset;
use shared::schema::users;
use uuid::Uuid;

use super::UpdateMeInput;

pub(super) const MAX_DISPLAY_NAME_LENGTH: usize = 100;

/// New values of columns; `None` leaves a column as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, AsChangeset)]
#[diesel(table_name = users)]
pub(super) struct Changes {
    pub display_name: Option<String>,
    pub email: Option<Option<String>>,
    /// Depends on the kind of caller, not on the input.
    pub pending_email: Option<Option<String>>,
    pub streamer_mode: Option<bool>,
    pub extension_dev_mode: Option<bool>,
}

/// Change of the active account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Switch {
    To(Uuid),
    ToNone,
}

/// Validates every field.
pub(super) fn checked(input: UpdateMeInput) -> Result<(Changes, Option<Switch>)> {
    if is_empty(&input) {
        return Err(ApiError::invalid("At least one field is required"));
    }
    let display_name = input.display_name.not_null("display_name")?;
    let clear = input.clear_active_account.not_null("clear_active_account")?.unwrap_or(false);
    let changes = Changes {
        display_name: display_name
            .map(|name| validate::text("display_name", &name, 1, MAX_DISPLAY_NAME_LENGTH))
            .transpose()?,
        email: input.email.try_map(|email| validate::email("email", &email))?.into_change(),
        pending_email: None,
        streamer_mode: input.streamer_mode.not_null("streamer_mode")?,
        extension_dev_mode: input.extension_dev_mode.not_null("extension_dev_mode")?,
    };
    let switch = match (input.active_account_id, clear) {
        (Patch::Value(_), true) => {
            return Err(ApiError::invalid("active_account_id and clear_active_account exclude each other"));
        }
        (Patch::Value(account), false) => Some(Switch::To(account)),
        (Patch::Null, _) | (Patch::Absent, true) => Some(Switch::ToNone),
        (Patch::Absent, false) => None,
    };
    Ok((changes, switch))
}

fn is_empty(input: &UpdateMeInput) -> bool {
    input.display_name.is_absent()
        && input.email.is_absent()
        && input.active_account_id.is_absent()
        && input.clear_active_account.is_absent()
        && input.streamer_mode.is_absent()
        && input.extension_dev_mode.is_absent()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(input: UpdateMeInput) -> String {
        checked(input).unwrap_err().message
    }

    #[test]
    fn changes_need_at_least_one_field() {
        assert_eq!(refusal(UpdateMeInput::default()), "At least one field is required");
        let input = UpdateMeInput { clear_active_account: Patch::Value(false), ..UpdateMeInput::default() };
        assert_eq!(checked(input), Ok((Changes::default(), None)));
    }

    #[test]
    fn changes_accept_null_for_the_email_only() {
        let input = UpdateMeInput { email: Patch::Null, ..UpdateMeInput::default() };
        assert_eq!(checked(input).unwrap().0, Changes { email: Some(None), ..Changes::default() });
        let input = UpdateMeInput { display_name: Patch::Null, ..UpdateMeInput::default() };
        assert_eq!(refusal(input), "display_name cannot be null");
        let input = UpdateMeInput { streamer_mode: Patch::Null, ..UpdateMeInput::default() };
        assert_eq!(refusal(input), "streamer_mode cannot be null");
    }

    #[test]
    fn changes_switch_or_leave_the_account_but_not_both() {
        let account = Uuid::now_v7();
        let switch = |active_account_id, clear_active_account| {
            checked(UpdateMeInput { active_account_id, clear_active_account, ..UpdateMeInput::default() })
        };
        let switched = |active, clear| switch(active, clear).map(|(_, switch)| switch);
        assert_eq!(switched(Patch::Value(account), Patch::Absent), Ok(Some(Switch::To(account))));
        assert_eq!(switched(Patch::Absent, Patch::Value(true)), Ok(Some(Switch::ToNone)));
        assert_eq!(switched(Patch::Null, Patch::Absent), Ok(Some(Switch::ToNone)));
        assert!(switch(Patch::Value(account), Patch::Value(true)).is_err());
    }
}
