//! Graphs of automations (reference/automations.md#graphs).

mod access;
mod drafts;
mod registrations;
mod strict;
