//! Names of a person, and their places in texts of handlers (reference/privacy.md#names-in-texts). Names are
//! words that other people have too. The less specific a name is, the more the text around it must indicate
//! the person: see [`Kind`].

use std::collections::BTreeSet;

use api_core::{Result, State};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{BigInt, Nullable, Text, Uuid as SqlUuid},
};
use diesel_async::RunQueryDsl;
use shared::person_ids::is_field_for_names;
use uuid::Uuid;

use super::{Identity, mentions::without, stores::Store, tables::connection};

/// Names of one person that are searched for: those of the latest rows.
const MAX_NAMES: usize = 8;
/// Rows of each table that are searched for names.
const MAX_ROWS: i64 = 1000;
/// Characters of the shortest name that counts by itself.
const MIN_CHARS: usize = 4;
/// Characters of the shortest name of letters only that counts in prose.
const MIN_CHARS_OF_PROSE: usize = 8;

/// Person on a platform, with the names there.
#[derive(Debug)]
pub(super) struct Person<'a> {
    /// Identity of the person.
    pub identity: &'a Identity,
    names: Vec<Name>,
    /// Accounts in which the person was seen.
    accounts: BTreeSet<Uuid>,
}

/// Name, as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Name {
    text: String,
    kind: Kind,
}

/// Places where a name counts as the person's. Each kind also counts where the later ones do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Name with a digit or `_`: everywhere.
    Distinct,
    /// Name of letters, at least eight: in texts of accounts where the person was seen.
    Long,
    /// Name of letters, at least four: after `@` and in a field for names.
    Word,
    /// Two or three characters: beside the person's id only.
    Short,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Nullable<SqlUuid>)]
    account_id: Option<Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    username: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    display_name: Option<String>,
}

/// Queries for names of a person who chats. `$1` is the platform, `$2` the platform's id, `$3` the largest
/// number of rows.
const NAMED: [(Store, &str); 3] = [
    (
        Store::TimeSeries,
        "SELECT account_id, username, display_name FROM platform_users
         WHERE platform = $1 AND platform_user_id = $2 ORDER BY last_seen_at DESC LIMIT $3",
    ),
    (
        Store::TimeSeries,
        "SELECT account_id, username, display_name FROM events
         WHERE platform = $1 AND platform_user_id = $2 ORDER BY occurred_at DESC LIMIT $3",
    ),
    (
        Store::Primary,
        "SELECT NULL::uuid AS account_id, username, display_name FROM login_connections
         WHERE platform = $1 AND provider_user_id = $2 LIMIT $3",
    ),
];

impl<'a> Person<'a> {
    /// Reads the names of a person. It must run before the rows with the names are erased.
    pub(super) async fn read(state: &State, identity: &'a Identity) -> Result<Self> {
        let mut person = Self { identity, names: Vec::new(), accounts: BTreeSet::new() };
        for (place, sql) in NAMED {
            let rows: Vec<Row> = sql_query(sql)
                .bind::<Text, _>(identity.platform.slug())
                .bind::<Text, _>(&identity.user_id)
                .bind::<BigInt, _>(MAX_ROWS)
                .load(&mut *connection(state, place).await?)
                .await?;
            for row in rows {
                person.accounts.extend(row.account_id);
                [row.username, row.display_name].into_iter().flatten().for_each(|name| person.add(&name));
            }
        }
        Ok(person)
    }

    fn add(&mut self, name: &str) {
        let name = name.trim();
        for text in [name.to_owned(), name.to_lowercase()] {
            let is_known = self.names.iter().any(|known| known.text == text);
            if text.chars().nth(1).is_some() && !is_known && self.names.len() < 2 * MAX_NAMES {
                self.names.push(Name { kind: Kind::of(&text), text });
            }
        }
    }

    /// Returns the texts of which a row must contain one to be read.
    pub(super) fn wanted(&self) -> Vec<&str> {
        let names = self.names.iter().filter(|name| name.kind != Kind::Short);
        [self.identity.user_id.as_str()].into_iter().chain(names.map(|name| name.text.as_str())).collect()
    }

    /// Returns a text without the id and the names of the person; `None` when it does not contain them.
    /// `account` is the owner of the text, where it is known.
    pub(super) fn taken_out_of(&self, text: &str, account: Option<Uuid>) -> Option<String> {
        let mut found = self.identity.places_in(text);
        let has_id = !found.is_empty();
        let is_seen = account.is_some_and(|account| self.accounts.contains(&account));
        for name in &self.names {
            let at = name.places_in(text);
            found.extend(
                at.filter(|at| has_id || name.kind.holds_at(&text[..*at], is_seen))
                    .map(|at| at..at + name.text.len()),
            );
        }
        without(text, found)
    }
}

impl Name {
    /// Returns the positions of the name as a whole word.
    fn places_in<'a>(&'a self, text: &'a str) -> impl Iterator<Item = usize> + 'a {
        text.match_indices(self.text.as_str()).map(|(at, _)| at).filter(move |at| {
            let before = text[..*at].chars().next_back();
            let after = text[*at + self.text.len()..].chars().next();
            let continues = |inner: Option<char>, outer: Option<char>| {
                inner.is_some_and(is_of_word) && outer.is_some_and(is_of_word)
            };
            !continues(self.text.chars().next(), before) && !continues(self.text.chars().next_back(), after)
        })
    }
}

/// Returns true for letters of scripts that separate words, digits and `_`.
fn is_of_word(c: char) -> bool {
    const FIRST_IDEOGRAPHS: char = '\u{2e80}';
    c == '_' || (c.is_alphanumeric() && c < FIRST_IDEOGRAPHS)
}

impl Kind {
    fn of(name: &str) -> Self {
        match name.chars().count() {
            0..MIN_CHARS => Self::Short,
            _ if name.chars().any(|c| c == '_' || c.is_numeric()) => Self::Distinct,
            MIN_CHARS..MIN_CHARS_OF_PROSE => Self::Word,
            _ => Self::Long,
        }
    }

    /// Returns true when a name of the kind counts after `before`, in a text without the person's id.
    fn holds_at(self, before: &str, is_seen: bool) -> bool {
        let is_addressed = || before.ends_with('@') || ends_in_field_for_names(before);
        match self {
            Self::Distinct => true,
            Self::Long => is_seen || is_addressed(),
            Self::Word => is_addressed(),
            Self::Short => false,
        }
    }
}

/// Returns true when the text after this one is in a field for names: `"user_name":"`, `displayName: `.
fn ends_in_field_for_names(before: &str) -> bool {
    let is_quote = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '\\');
    let before = before.trim_end_matches(is_quote);
    let field = before.trim_end_matches([':', '=']);
    field.len() < before.len() && is_field_for_names(field.trim_end_matches(is_quote))
}

#[cfg(test)]
mod tests {
    use shared::platform::Platform;

    use super::*;

    const SEEN: Uuid = Uuid::from_u128(1);

    fn cleared(names: &[&str], text: &str, account: Option<Uuid>) -> Option<String> {
        let identity = Identity { platform: Platform::Twitch, user_id: "471100".into() };
        let mut person = Person { identity: &identity, names: Vec::new(), accounts: BTreeSet::from([SEEN]) };
        names.iter().for_each(|name| person.add(name));
        person.taken_out_of(text, account)
    }

    #[test]
    fn names_that_are_distinct_are_erased_as_whole_words() {
        for (text, left) in [
            ("Ada_99 rolled", "[erased] rolled"),
            ("ada_99!", "[erased]!"),
            ("471100 is Ada_99, ada_99", "[erased] is [erased], [erased]"),
        ] {
            assert_eq!(cleared(&["Ada_99", "ada_99"], text, None).as_deref(), Some(left));
        }
        for text in ["Ada_990", "xada_99", "Ada", "4711000"] {
            assert_eq!(cleared(&["Ada_99"], text, None), None, "{text}");
        }
    }

    #[test]
    fn names_that_are_words_need_a_context() {
        for (name, text) in [
            ("dragon", "@dragon hello"),
            ("dragon", r#"{"user_name":"dragon"}"#),
            ("dragon", "displayName: dragon"),
            ("dragon", "471100 dragon"),
            ("sunshine", "login=sunshine"),
            ("ab", "471100 is ab"),
        ] {
            assert!(cleared(&[name], text, None).is_some(), "{text}");
        }
        for (name, text) in [
            ("dragon", "a dragon came"),
            ("dragon", r#"{"reward":"dragon"}"#),
            ("sunshine", "sunshine all day"),
            ("ab", "@ab"),
        ] {
            assert_eq!(cleared(&[name], text, None), None, "{text}");
        }
        let prose = "sunshine all day";
        assert_eq!(cleared(&["Sunshine"], prose, Some(SEEN)).as_deref(), Some("[erased] all day"));
        assert_eq!(cleared(&["Sunshine"], prose, Some(Uuid::nil())), None, "an account that never saw them");
        assert_eq!(cleared(&["dragon"], "a dragon came", Some(SEEN)), None);
    }

    #[test]
    fn names_that_are_written_without_spaces_are_found() {
        assert_eq!(cleared(&["みかん９"], "みかん９さん", None).as_deref(), Some("[erased]さん"));
        assert_eq!(cleared(&["Ada B_1"], "x Ada B_1.", None).as_deref(), Some("x [erased]."));
    }

    #[test]
    fn names_per_person_are_bounded() {
        let identity = Identity { platform: Platform::Twitch, user_id: "471100".into() };
        let mut person = Person { identity: &identity, names: Vec::new(), accounts: BTreeSet::new() };
        (0..1000).for_each(|n| person.add(&format!("Name_{n}")));
        assert_eq!(person.wanted().len(), 1 + 2 * MAX_NAMES);
    }
}
