//! Usage of accounts, extensions and keys: counts, lists, budgets.

mod budgets;
mod counting;
mod handlers;
mod host;
mod hours;
mod killed;
mod limits;
mod stage;
mod stops;
mod warnings;
