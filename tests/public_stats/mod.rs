//! Public statistics, watchlists, roll-ups and the crawler.

mod browse;
mod cache;
mod channels;
mod crawler;
mod crawler_scope;
mod dissolution;
mod emotes;
mod equality;
mod games;
mod passes;
mod ranges;
mod rollups;
mod settings;
mod watchlist;
