//! Developers and teams as several domains of the API need them: profiles, slugs, teams, and the ownership of
//! extensions (reference/developers.md, reference/teams.md).

pub mod credentials;
pub mod extensions;
pub mod profile;
pub mod slugs;
pub mod teams;
