//! Statements in SQL that are prepared once a connection.

use diesel::{
    QueryResult,
    pg::Pg,
    query_builder::{AstPass, Query, QueryFragment, QueryId},
};

/// A statement that [`Prepare::prepared`] has made.
#[derive(Debug, Clone, Copy)]
#[must_use = "a statement does nothing until it is executed"]
pub struct Prepared<Q>(Q);

/// What makes a statement one that is prepared.
pub trait Prepare: QueryFragment<Pg> + Sized {
    /// Has the connection prepare a statement at its first use and remember it. For those of [`diesel::sql_query`] and
    /// [`diesel::update()`]: others are remembered anyway. Otherwise each execution costs a second way to the server, and
    /// parsing and planning, which are the most of a short statement.
    ///
    /// Only for a text that is constant: every other one would be remembered for as long as the connection lasts.
    fn prepared(self) -> Prepared<Self> {
        Prepared(self)
    }
}

impl<Q: QueryFragment<Pg>> Prepare for Q {}

impl<Q: QueryFragment<Pg>> QueryFragment<Pg> for Prepared<Q> {
    fn walk_ast<'b>(&'b self, pass: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        self.0.walk_ast(pass)
    }

    fn is_safe_to_cache_prepared(&self, _backend: &Pg) -> QueryResult<bool> {
        Ok(true)
    }
}

/// It is remembered by its text.
impl<Q> QueryId for Prepared<Q> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}

impl<Q: Query> Query for Prepared<Q> {
    type SqlType = Q::SqlType;
}
