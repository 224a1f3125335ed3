//! Needs of operations that are to succeed.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;
use serde_json::{Map, Value};

/// Operations whose success needs more than the example of the document and one's own ids, by name. Texts in them are
/// values: `@account`, `@owner`, `@helper`, `@other`, `@made` (id that the last statement or `before` returned), `@` with a
/// table for the id of one's own row, and `{n}` for a part that makes a name unique. In statements `$1` is the account,
/// `$2` its owner, and `$3` its other member.
const POSTS: &str = include_str!("posts.json");

/// Caller of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Actor {
    /// A member of the account.
    Helper,
    /// The owner of another account.
    Other,
}

/// Part of the scene that few operations need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Part {
    /// The account's channel at Twitch, and the user `@friend_id` with the login `@friend_login`.
    Twitch,
    /// The account's player at Spotify.
    Spotify,
    /// A playlist of Spotify.
    Playlist,
    /// A channel that is known to no account: `@made`.
    PublicChannel,
    /// A sound manifest of the account's extension.
    Manifest,
    /// A runtime that runs every function.
    Runtime,
}

/// Needs of an operation.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Recipe {
    /// Caller, where it is neither the owner of the account nor staff nor the developer by key.
    #[serde(rename = "as")]
    pub actor: Option<Actor>,
    /// Parts of the scene.
    pub scene: Vec<Part>,
    /// Statements that run before.
    pub sql: Vec<String>,
    /// Operation that is called before, without a key.
    pub before: Option<String>,
    /// Segments of the path by name.
    pub path: BTreeMap<String, String>,
    /// Parameters of the query.
    pub query: BTreeMap<String, String>,
    /// Whole body in place of the example.
    pub body: Option<Value>,
    /// Fields in place of those of the example.
    pub with: Map<String, Value>,
}

/// Every recipe.
pub(super) fn recipes() -> &'static BTreeMap<String, Recipe> {
    static RECIPES: LazyLock<BTreeMap<String, Recipe>> =
        LazyLock::new(|| serde_json::from_str(POSTS).expect("recipes"));
    &RECIPES
}

/// Recipe of an operation.
pub(super) fn recipe(operation: &str) -> Recipe {
    recipes().get(operation).cloned().unwrap_or_default()
}

#[test]
fn recipes_are_those_of_posts_with_keys() {
    let posts = super::posts();
    for (name, recipe) in recipes() {
        let post = posts.iter().find(|post| post.name() == name);
        let post = post.unwrap_or_else(|| panic!("`{name}` of posts.json is no POST that knows keys"));
        for segment in recipe.path.keys() {
            assert!(post.route.path.contains(&format!("{{{segment}}}")), "{name} has no segment {segment}");
        }
    }
}
