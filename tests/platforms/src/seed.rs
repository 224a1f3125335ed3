//! Users for a demonstration.

use crate::{CreatedUser, NewUser, Platform, StandIn};

/// Creates one user for each `platform:login` in `users`.
///
/// # Errors
/// An error when an entry names no platform or a login is given twice.
pub fn seed_demo_users(stand_in: &StandIn, users: &[String]) -> anyhow::Result<Vec<CreatedUser>> {
    users.iter().map(|entry| seed(stand_in, entry)).collect()
}

fn seed(stand_in: &StandIn, entry: &str) -> anyhow::Result<CreatedUser> {
    let (platform, login) = entry
        .split_once(':')
        .ok_or_else(|| anyhow::anyhow!("`{entry}` is not of the form platform:login"))?;
    let platform: Platform = platform.parse().map_err(anyhow::Error::msg)?;
    stand_in.try_create_user(platform, NewUser { login: Some(login.into()), ..NewUser::default() })
}
