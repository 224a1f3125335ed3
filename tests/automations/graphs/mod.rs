//! Graphs of automations (reference/automations.md#graphs).

mod drafts;
mod registrations;
mod strict;
