//! Raids, and lookup of their target channels.

use serde::Deserialize;

use super::{TwitchClient, message};
use crate::{ChatCredentials, Result};
use shared::engagement::NamedChannel;

#[derive(Deserialize)]
struct Users {
    data: Vec<User>,
}

#[derive(Deserialize)]
struct User {
    id: String,
    login: String,
    display_name: String,
}

impl TwitchClient {
    pub(super) async fn user_by_login(
        &self,
        credentials: &ChatCredentials,
        login: &str,
    ) -> Result<Option<NamedChannel>> {
        let request = self.http.get(self.helix_url(&["users"])).query(&[("login", login)]);
        let request = self.acting(request, credentials)?;
        let users: Users = self.http.send("users", request).await?.success(message)?.json()?;
        Ok(users.data.into_iter().next().map(|user| NamedChannel {
            id: user.id,
            username: user.login,
            display_name: user.display_name,
        }))
    }

    pub(super) async fn raid(&self, credentials: &ChatCredentials, from: &str, to: &str) -> Result<()> {
        let ids = [("from_broadcaster_id", from), ("to_broadcaster_id", to)];
        let request = self.acting(self.http.post(self.helix_url(&["raids"])).query(&ids), credentials)?;
        self.http.send("start_raid", request).await?.success(message)?;
        Ok(())
    }

    pub(super) async fn call_raid_off(&self, credentials: &ChatCredentials, channel_id: &str) -> Result<()> {
        let request = self.http.delete(self.helix_url(&["raids"])).query(&[("broadcaster_id", channel_id)]);
        let request = self.acting(request, credentials)?;
        self.http.send("cancel_raid", request).await?.success(message)?;
        Ok(())
    }
}
