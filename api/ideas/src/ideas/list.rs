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
const DEFAULT_LIMIT: i64 = 20;
/// Ideas of a page (reference/ideas.md#list).
const MAX_LIMIT: i64 = 100;
/// Length of the shortest search, in characters (reference/ideas.md#search).
const MIN_SEARCH_LENGTH: usize = 2;
/// Length of the longest search, in characters (reference/ideas.md#search).
const MAX_SEARCH_LENGTH: usize = 100;
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
    /// Words in title or description, the last one as the beginning of a word; 2 to 100 characters.
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
    /// Highest score for its age first: score / (hours + 2)^1.5.
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
        Ok(Self {
            category: filter.category_id,
            statuses: statuses.map(|all| all.into_iter().map(IdeaStatus::as_str).collect()),
            author: own.or(filter.author_id),
            tags,
            words,
            voter,
            viewer: viewer(cx),
            sort: sort.unwrap_or_default(),
            limit,
            offset,
            is_empty,
        })
    }

    /// True when the totals of categories and statuses do not give the number of ideas.
    const fn is_narrow(&self) -> bool {
        self.author.is_some() || self.tags.is_some() || self.words.is_some() || self.voter.is_some()
    }

    /// Condition on rows of `ideas`, of parameters in a fixed order. A condition that other tables decide is
    /// written only where it is needed, because behind an `OR` it would be checked for each idea.
    fn filter(&self) -> String {
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
        format!("{COLUMNS_FILTER} AND {tags} AND {words} AND {voter} AND $10::timestamptz IS NOT NULL")
    }

    /// Statement of the list.
    fn sql(&self) -> String {
        let (filter, order) = (self.filter(), self.sort.sql());
        let is_banded = self.sort == IdeaSort::Trending && !self.is_narrow();
        // Ideas with the words are found before anything else: how many there are is known badly, and a walk
        // through an order would make the words of each text anew.
        let (before, found) = match &self.words {
            Some(_) => (format!("found AS MATERIALIZED ({WITH_TEXTS} WHERE {filter}),"), "found".to_owned()),
            None if is_banded => (format!("{},", ranges(&filter)), String::new()),
            None => (String::new(), format!("ideas WHERE {filter}")),
        };
        let total = match self.is_narrow() {
            true => format!("SELECT count(*) AS total FROM {found}"),
            false => TOTALS.to_owned(),
        };
        let rows = match self.sort {
            IdeaSort::Trending if is_banded => candidates(&filter),
            IdeaSort::Trending => format!("SELECT *, {TREND} AS trend FROM {found}"),
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

const WITH_TEXTS: &str = "SELECT ideas.* FROM ideas JOIN idea_texts ON idea_texts.idea_id = ideas.id";
/// Condition on the texts of an idea.
const WORDS: &str =
    "to_tsvector('simple'::regconfig, title || ' ' || description) @@ to_tsquery('simple'::regconfig, $7)";
/// Condition on columns of `ideas`.
const COLUMNS_FILTER: &str = "($3::uuid IS NULL OR category_id = $3) AND ($4::text[] IS NULL OR status = ANY($4)) \
    AND ($5::uuid IS NULL OR author_id = $5)";
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
    // The text depends on the order and on three conditions only: a few constant texts.
    Ok(sql_query(selection.sql())
        .bind::<BigInt, _>(selection.limit)
        .bind::<BigInt, _>(selection.offset)
        .bind::<Nullable<SqlUuid>, _>(selection.category)
        .bind::<Nullable<Array<Text>>, _>(selection.statuses.as_deref())
        .bind::<Nullable<SqlUuid>, _>(selection.author)
        .bind::<Nullable<Array<SqlUuid>>, _>(selection.tags.as_deref())
        .bind::<Nullable<Text>, _>(selection.words.as_deref())
        .bind::<Nullable<SqlUuid>, _>(selection.voter)
        .bind::<Nullable<SqlUuid>, _>(selection.viewer)
        .bind::<Timestamptz, _>(now)
        .prepared()
        .load(connection)
        .await?)
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
    // Letters and digits only, so that the text holds no operator.
    let words = search.split(|character: char| !character.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.map(str::to_lowercase).collect::<Vec<_>>().join(" & ");
    Ok(Some(if words.is_empty() { words } else { words + ":*" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_all_needed_and_the_last_one_is_a_prefix() {
        for (search, expected) in [
            (" ", None),
            ("!&", Some("")),
            ("Dark", Some("dark:*")),
            ("dark-mode  CHAT", Some("dark & mode & chat:*")),
            ("a'b:* | c", Some("a & b & c:*")),
        ] {
            assert_eq!(words(search).unwrap().as_deref(), expected, "{search}");
        }
        let message = "search must be between 2 and 100 characters";
        for wrong in ["a".to_owned(), "a".repeat(101)] {
            assert_eq!(words(&wrong), Err(ApiError::invalid(message)));
        }
    }
}
