//! List of ideas: filter, order and the statement (reference/ideas.md#list).

use api_core::{ApiError, Cx, Result, graphql::int, page, validate};
use chrono::{DateTime, Utc};
use diesel::{
    QueryableByName, sql_query,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid},
};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};
use foundation::db::Prepare;
use juniper::{GraphQLEnum, GraphQLInputObject};
use serde::{Deserialize, Serialize};
use shared::id::UserId;
use utoipa::ToSchema;
use uuid::Uuid;

use super::{
    GqlIdea, GqlIdeaConnection,
    row::{Row, shown},
    trending::{TREND, candidates, ranges},
};
use crate::{
    kinds::IdeaStatus,
    people::{required_viewer, viewer},
};

/// Ideas of a page when no limit is given (reference/ideas.md#list).
pub(super) const DEFAULT_LIMIT: i64 = 20;
/// Ideas of a page (reference/ideas.md#list).
const MAX_LIMIT: i64 = 100;
/// Length of the shortest search, in characters (reference/ideas.md#search).
const MIN_SEARCH_LENGTH: usize = 2;
/// Length of the longest search, in characters (reference/ideas.md#search).
const MAX_SEARCH_LENGTH: usize = 100;
/// Ideas that a search finds: the newest (reference/ideas.md#search).
const MAX_FOUND: i64 = 1000;
/// Ideas in the order of their trend, from the top (reference/ideas.md#trending).
const MAX_TRENDING: i64 = 500;
/// Ideas from the top, of which a page takes a prepared statement.
const MAX_COMMON: i64 = 1000;
/// Tags of a filter (reference/ideas.md#list).
const MAX_FILTER_TAGS: usize = 20;

/// Filter of ideas. An idea passes when it meets every given field. An empty list is none.
#[derive(Debug, Clone, Default, GraphQLInputObject)]
pub struct IdeaFilterInput {
    /// Category.
    pub category_id: Option<Uuid>,
    /// Ideas with one of these tags at least; at most 20.
    pub tag_ids: Option<Vec<Uuid>>,
    /// Ideas of one of these statuses.
    pub status: Option<Vec<IdeaStatus>>,
    /// Author.
    pub author_id: Option<Uuid>,
    /// Words in title or description, the last one as the beginning of a word; 2 to 100 characters. The newest 1,000
    /// ideas are found.
    pub search: Option<String>,
    /// True: own ideas of the caller.
    pub mine: Option<bool>,
    /// True: ideas that the caller has voted on.
    pub voted_by_me: Option<bool>,
}

/// Order of ideas. Ideas that are equal in it are ordered by their time of creation, newest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, GraphQLEnum, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IdeaSort {
    /// Newest first.
    #[default]
    Newest,
    /// Oldest first.
    Oldest,
    /// Highest score first: votes in favour less votes against.
    MostVoted,
    /// Most comments first.
    MostCommented,
    /// Latest change first.
    RecentlyUpdated,
    /// Highest score for its age first: score / (hours + 2)^1.5. The list ends after 500 ideas.
    Trending,
}

/// Request of a list.
#[derive(Debug, Clone, Default)]
pub struct IdeasRequest {
    /// Filter.
    pub filter: IdeaFilterInput,
    /// `Newest` when absent.
    pub sort: Option<IdeaSort>,
    /// 1 to 100; 20 when absent.
    pub limit: Option<i64>,
    /// 0 or more; 0 when absent.
    pub offset: Option<i64>,
}

/// Checked request.
#[derive(Debug)]
pub(super) struct Selection {
    category: Option<Uuid>,
    statuses: Option<Vec<&'static str>>,
    author: Option<Uuid>,
    tags: Option<Vec<Uuid>>,
    words: Option<String>,
    voter: Option<UserId>,
    viewer: Option<UserId>,
    sort: IdeaSort,
    limit: i64,
    offset: i64,
    is_empty: bool,
}

#[derive(QueryableByName)]
struct ListRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(embed)]
    row: Option<Row>,
}

impl Selection {
    /// Checks a request.
    ///
    /// # Errors
    /// 400 that names the field; 401 for the own ideas or votes of a caller without a credential.
    pub fn of(cx: &Cx, request: IdeasRequest) -> Result<Self> {
        let IdeasRequest { filter, sort, limit, offset } = request;
        let limit = page::checked_limit(limit, DEFAULT_LIMIT, MAX_LIMIT)?;
        let offset = page::checked_offset(offset)?;
        let tags = filter.tag_ids.filter(|tags| !tags.is_empty()).map(checked_tags).transpose()?;
        let statuses = filter.status.filter(|statuses| !statuses.is_empty());
        let words = filter.search.as_deref().map(words).transpose()?.flatten();
        let own = if filter.mine == Some(true) { Some(required_viewer(cx)?.0) } else { None };
        let voter = if filter.voted_by_me == Some(true) { Some(required_viewer(cx)?) } else { None };
        // Own ideas that another person wrote, and a search without a word, are none.
        let is_empty = words.as_deref() == Some("")
            || own.is_some_and(|own| filter.author_id.is_some_and(|author| author != own));
        let sort = sort.unwrap_or_default();
        let (sort, limit, offset) = match sort {
            IdeaSort::Trending if offset < MAX_TRENDING => (sort, limit.min(MAX_TRENDING - offset), offset),
            // A page beyond the end has the total only.
            IdeaSort::Trending => (IdeaSort::Newest, 0, 0),
            _ => (sort, limit, offset),
        };
        Ok(Self {
            category: filter.category_id,
            statuses: statuses.map(|all| all.into_iter().map(IdeaStatus::as_str).collect()),
            author: own.or(filter.author_id),
            tags,
            words,
            voter,
            viewer: viewer(cx),
            sort,
            limit,
            offset,
            is_empty,
        })
    }

    /// True when the totals of categories and statuses do not give the number of ideas.
    const fn is_narrow(&self) -> bool {
        self.author.is_some() || self.tags.is_some() || self.words.is_some() || self.voter.is_some()
    }

    /// True for a condition besides that on the words.
    const fn has_conditions(&self) -> bool {
        let is_of_columns = self.category.is_some() || self.statuses.is_some() || self.author.is_some();
        is_of_columns || self.tags.is_some() || self.voter.is_some()
    }

    /// True for a statement that a connection keeps prepared: one of the first ideas in the order of an index, without
    /// a condition. Its plan is good for all values. Another depends on them, and the server would reuse one that it made
    /// for the values of others.
    fn is_common(&self) -> bool {
        let is_plain = !self.has_conditions() && self.words.is_none() && self.sort != IdeaSort::Trending;
        is_plain && self.offset + self.limit <= MAX_COMMON
    }

    /// Condition on rows of `ideas`, of parameters in a fixed order. A condition is written only where it is needed,
    /// because behind an `OR` it would be checked for each idea.
    fn filter(&self) -> String {
        let category = self.category_filter();
        let statuses = match &self.statuses {
            Some(_) => "status = ANY($4)",
            None => "$4::text[] IS NULL",
        };
        let author = match self.author {
            Some(_) => "author_id = $5",
            None => "$5::uuid IS NULL",
        };
        let tags = match &self.tags {
            Some(_) => "id IN (SELECT idea_id FROM idea_tag_links WHERE tag_id = ANY($6))",
            None => "$6::uuid[] IS NULL",
        };
        let words = match &self.words {
            Some(_) => WORDS,
            None => "$7::text IS NULL",
        };
        let voter = match self.voter {
            Some(_) => "id IN (SELECT idea_id FROM idea_votes WHERE user_id = $8)",
            None => "$8::uuid IS NULL",
        };
        format!(
            "{category} AND {statuses} AND {author} AND {tags} AND {words} AND {voter} AND $10::timestamptz IS NOT NULL"
        )
    }

    const fn category_filter(&self) -> &'static str {
        match self.category {
            Some(_) => "category_id = $3",
            None => "$3::uuid IS NULL",
        }
    }

    /// Ids of the newest ideas with the words. They are found before anything else: how many there are is known badly, and
    /// a walk through an order would make the words of each text anew. `OFFSET 0` keeps the order apart for that.
    fn found(&self, filter: &str) -> String {
        let ids = match self.has_conditions() {
            true => format!(
                "SELECT id FROM ideas JOIN idea_texts ON idea_texts.idea_id = ideas.id WHERE {filter}"
            ),
            false => format!("SELECT idea_id AS id FROM idea_texts WHERE {filter}"),
        };
        format!("SELECT id FROM ({ids} OFFSET 0) AS matches ORDER BY id DESC LIMIT {MAX_FOUND}")
    }

    /// Statement of the list.
    fn sql(&self) -> String {
        let (filter, order) = (self.filter(), self.sort.sql());
        let is_banded = self.sort == IdeaSort::Trending && !self.is_narrow();
        let (before, found) = match &self.words {
            Some(_) => (
                format!("found AS MATERIALIZED ({}),", self.found(&filter)),
                "found JOIN ideas USING (id)".to_owned(),
            ),
            None if is_banded => (format!("{},", ranges(self.category_filter(), &filter)), String::new()),
            None => (String::new(), format!("ideas WHERE {filter}")),
        };
        let total = match &self.words {
            Some(_) => "SELECT count(*) AS total FROM found".to_owned(),
            None if self.is_narrow() => format!("SELECT count(*) AS total FROM {found}"),
            None => TOTALS.to_owned(),
        };
        let rows = match self.sort {
            IdeaSort::Trending if is_banded => candidates(&filter),
            IdeaSort::Trending => format!("SELECT *, {TREND} AS trend FROM {found}"),
            // The server expects a tenth of all rows for a limit that it does not know.
            _ if self.is_common() => {
                format!("SELECT * FROM (SELECT * FROM {found} ORDER BY {order} LIMIT {MAX_COMMON}) AS first")
            }
            _ => format!("SELECT * FROM {found}"),
        };
        // The page is read in the order of its index before anything is joined to it.
        let page = shown(&format!("{rows} ORDER BY {order} LIMIT $1 OFFSET $2"), "$9");
        format!(
            "WITH RECURSIVE {before} page AS ({page})
             SELECT totals.total, page.* FROM ({total}) AS totals LEFT JOIN page ON true ORDER BY {order}"
        )
    }
}

/// Condition on the texts of an idea.
const WORDS: &str = "idea_words(title, description) @@ to_tsquery('simple'::regconfig, $7)";
/// Number of ideas of categories and statuses.
const TOTALS: &str = "SELECT coalesce(sum(ideas), 0)::bigint AS total FROM idea_totals \
    WHERE ($3::uuid IS NULL OR category_id = $3) AND ($4::text[] IS NULL OR status = ANY($4))";

impl IdeaSort {
    /// Order of rows. Each has an index.
    const fn sql(self) -> &'static str {
        match self {
            Self::Newest => "created_at DESC, id DESC",
            Self::Oldest => "created_at, id",
            Self::MostVoted => "score DESC, created_at DESC, id DESC",
            Self::MostCommented => "comment_count DESC, created_at DESC, id DESC",
            Self::RecentlyUpdated => "updated_at DESC, created_at DESC, id DESC",
            Self::Trending => "trend DESC, created_at DESC, id DESC",
        }
    }
}

/// One page of ideas with their total, in one statement.
pub(super) async fn list(
    connection: &mut AsyncPgConnection,
    selection: &Selection,
    now: DateTime<Utc>,
) -> Result<GqlIdeaConnection> {
    if selection.is_empty {
        return Ok(GqlIdeaConnection { items: Vec::new(), total: 0 });
    }
    let rows = if selection.is_narrow() {
        // Frequent words and tags are in so many ideas that reading all of them seems cheaper to the server.
        // It is not: the words of each text would be made anew.
        connection
            .transaction(async |connection| {
                sql_query("SET LOCAL enable_seqscan = off").execute(connection).await?;
                load(connection, selection, now).await
            })
            .await?
    } else {
        load(connection, selection, now).await?
    };
    let total = rows.iter().map(|row| int(row.total)).next().unwrap_or_default();
    let items = rows.into_iter().filter_map(|row| row.row).map(GqlIdea::try_from).collect::<Result<_>>()?;
    Ok(GqlIdeaConnection { items, total })
}

async fn load(
    connection: &mut AsyncPgConnection,
    selection: &Selection,
    now: DateTime<Utc>,
) -> Result<Vec<ListRow>> {
    let statement = sql_query(selection.sql())
        .bind::<BigInt, _>(selection.limit)
        .bind::<BigInt, _>(selection.offset)
        .bind::<Nullable<SqlUuid>, _>(selection.category)
        .bind::<Nullable<Array<Text>>, _>(selection.statuses.as_deref())
        .bind::<Nullable<SqlUuid>, _>(selection.author)
        .bind::<Nullable<Array<SqlUuid>>, _>(selection.tags.as_deref())
        .bind::<Nullable<Text>, _>(selection.words.as_deref())
        .bind::<Nullable<SqlUuid>, _>(selection.voter)
        .bind::<Nullable<SqlUuid>, _>(selection.viewer)
        .bind::<Timestamptz, _>(now);
    Ok(if selection.is_common() {
        statement.prepared().load(connection).await?
    } else {
        statement.load(connection).await?
    })
}

fn checked_tags(given: Vec<Uuid>) -> Result<Vec<Uuid>> {
    if given.len() > MAX_FILTER_TAGS {
        return Err(ApiError::invalid(format!("tag_ids must name at most {MAX_FILTER_TAGS} tags")));
    }
    Ok(given)
}

/// Words of a search in the syntax of PostgreSQL's text search: empty for a text without a letter or digit,
/// `None` for an empty text.
fn words(search: &str) -> Result<Option<String>> {
    if search.trim().is_empty() {
        return Ok(None);
    }
    let search = validate::text("search", search, MIN_SEARCH_LENGTH, MAX_SEARCH_LENGTH)?;
    // As the index has the texts: punctuation of ASCII, the operators among it, is a space. The rest is for the parser.
    let is_space = |character: char| {
        character.is_whitespace() || (character.is_ascii() && !character.is_ascii_alphanumeric())
    };
    let letters = |word: &str| word.chars().filter(|character| character.is_alphanumeric()).count();
    let words: Vec<&str> = search.split(is_space).filter(|word| letters(word) > 0).collect();
    // So many words begin with one letter that such a search would find nearly every idea.
    let is_prefix = words.last().is_some_and(|last| letters(last) >= MIN_SEARCH_LENGTH);
    Ok(Some(words.join(" & ") + if is_prefix { ":*" } else { "" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_all_needed_and_the_last_one_is_a_prefix() {
        for (search, expected) in [
            (" ", None),
            ("!&", Some("")),
            ("Dark", Some("Dark:*")),
            ("dark-mode  CHAT", Some("dark & mode & CHAT:*")),
            ("import/export node.js", Some("import & export & node & js:*")),
            ("a'b:* | cd", Some("a & b & cd:*")),
            ("a!", Some("a")),
            ("plan b", Some("plan & b")),
            ("“über” —", Some("“über”:*")),
        ] {
            assert_eq!(words(search).unwrap().as_deref(), expected, "{search}");
        }
        let message = "search must be between 2 and 100 characters";
        for wrong in ["a".to_owned(), "a".repeat(101)] {
            assert_eq!(words(&wrong), Err(ApiError::invalid(message)));
        }
    }
}
