//! Connections that only read.

use diesel_async::{
    AsyncPgConnection, RunQueryDsl,
    methods::LoadQuery,
    pg::TransactionBuilder,
    return_futures::{GetResult, LoadFuture},
};

/// View of a connection that returns rows and has no way to execute a change. Functions that read for both kinds of
/// connections take it: that of a caller, and a [`ReplicaConnection`](super::ReplicaConnection).
pub struct Reader<'a>(&'a mut AsyncPgConnection);

impl<'a> Reader<'a> {
    /// Reads over a connection to the primary.
    pub const fn of(connection: &'a mut AsyncPgConnection) -> Self {
        Self(connection)
    }

    /// Loads all rows of a query. The future yields the error of a failed database.
    pub fn rows<'conn, 'query, U, Q>(
        &'conn mut self,
        query: Q,
    ) -> LoadFuture<'conn, 'query, Q, AsyncPgConnection, U>
    where
        U: Send,
        Q: LoadQuery<'query, AsyncPgConnection, U> + 'query,
    {
        query.load(&mut *self.0)
    }

    /// Loads the first row of a query. The future yields `NotFound` without one, and the error of a failed database.
    pub fn row<'conn, 'query, U, Q>(
        &'conn mut self,
        query: Q,
    ) -> GetResult<'conn, 'query, Q, AsyncPgConnection, U>
    where
        U: Send + 'conn,
        Q: LoadQuery<'query, AsyncPgConnection, U> + 'query,
    {
        query.get_result(&mut *self.0)
    }

    /// Transaction with one snapshot for all of its statements. The server refuses writes in it.
    pub fn snapshot(&mut self) -> TransactionBuilder<'_, AsyncPgConnection> {
        self.0.build_transaction().repeatable_read().read_only()
    }
}
