//! Interface of tests to players, libraries and the catalogue.

use super::player::{Player, Track, UserPlaylist};
use crate::{StandIn, User};

impl StandIn {
    /// Gives a user this player.
    pub fn spotify_set_player(&self, user: &User, player: Player) {
        self.state.lock().players.by_user.insert(user.id.clone(), player);
    }

    /// Changes the player of a user, who gets a default one first when there is none.
    pub fn spotify_change_player(&self, user: &User, change: impl FnOnce(&mut Player)) {
        change(self.state.lock().players.by_user.entry(user.id.clone()).or_default());
    }

    /// Player of a user; `None` when none was set.
    #[must_use]
    pub fn spotify_player(&self, user: &User) -> Option<Player> {
        self.state.lock().players.by_user.get(&user.id).cloned()
    }

    /// Removes the player of a user, as after a long pause.
    pub fn spotify_remove_player(&self, user: &User) {
        self.state.lock().players.by_user.remove(&user.id);
    }

    /// Makes a user one of the free tier, or a Premium user again. Users have Premium.
    pub fn spotify_set_premium(&self, user: &User, has_premium: bool) {
        let free = &mut self.state.lock().players.free;
        if has_premium {
            free.remove(&user.id);
        } else {
            free.insert(user.id.clone());
        }
    }

    /// Sets the playlists in the library of a user.
    pub fn spotify_set_library(&self, user: &User, playlists: Vec<UserPlaylist>) {
        self.state.lock().players.libraries.insert(user.id.clone(), playlists);
    }

    /// Adds tracks to the catalogue, which the search finds and which can be played.
    pub fn spotify_add_tracks(&self, tracks: impl IntoIterator<Item = Track>) {
        self.state.lock().players.catalogue.extend(tracks);
    }

    /// Calls of a user to the player, the library and the search, oldest first, as `GET /me/player`. Failures on
    /// command are not among them.
    #[must_use]
    pub fn spotify_calls(&self, user: &User) -> Vec<String> {
        self.state.lock().players.calls.get(&user.id).cloned().unwrap_or_default()
    }
}
