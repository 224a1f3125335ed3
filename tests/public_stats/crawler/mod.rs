//! The crawler over seeded public directories (reference/public-stats.md#crawler).

mod age;
mod catalogue;
mod claims;
mod copies;
mod directories;
mod hostile;
mod killed;
mod opt_out;
mod profiles;
mod storms;
mod switches;
mod watchlist;
mod youtube;

use chrono::TimeDelta;
use diesel::{QueryableByName, sql_query, sql_types::Jsonb};
use diesel_async::RunQueryDsl;
use foundation::db::Database;
use lumio_tests::{TestApp, eventually, world::workers};
use lumio_worker::{Daemon, Running};
use platforms_stand_in::Platform;
use serde_json::Value;
use uuid::Uuid;

/// Interval of the scenes, the shortest one.
const INTERVAL: TimeDelta = TimeDelta::seconds(60);

/// A server with the crawler switched on.
struct Scene {
    app: TestApp,
}

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Jsonb)]
    row: Value,
}

impl Scene {
    /// Begins with an interval, so that none ends by itself in a test.
    async fn start(platforms: &[Platform]) -> Self {
        let scene = Self { app: TestApp::start().await };
        scene.app.begin_a_window(INTERVAL.num_seconds());
        scene.app.switch("system:crawler", true).await;
        let names: Vec<&str> = platforms.iter().map(|platform| platform.slug()).collect();
        scene.scope(&format!("platforms = '{{{}}}', interval_secs = 60", names.join(","))).await;
        scene
    }

    /// Starts a copy of the crawler.
    async fn crawl(&self) -> Running {
        workers(&self.app, &[Daemon::Crawler]).await
    }

    /// Changes the scope.
    async fn scope(&self, assignments: &str) {
        self.execute(&format!("UPDATE crawler_scope SET {assignments}")).await;
    }

    /// Adds an entry to the watch list.
    async fn watch(&self, platform: &str, channel: &str) {
        let id = Uuid::now_v7();
        self.execute(&format!(
            "INSERT INTO crawler_watchlist (id, platform, channel) VALUES ('{id}', '{platform}', '{channel}')"
        ))
        .await;
    }

    /// Puts the first channels of a directory on the watch list, as if they were found already.
    async fn watch_found(&self, platform: Platform, number: usize) {
        let now = self.app.clock.now().to_rfc3339();
        for place in 0..number {
            let (entry, id) = (Uuid::now_v7(), self.app.platforms.directory_channel(platform, place).id);
            self.execute(&format!(
                "WITH entry AS (
                    INSERT INTO crawler_watchlist (id, platform, channel, platform_channel_id)
                    VALUES ('{entry}', '{platform}', '{id}', '{id}')
                )
                INSERT INTO crawler_channels (platform, platform_channel_id, is_watched, next_at, profile_next_at)
                VALUES ('{platform}', '{id}', true, '{now}', '{now}')"
            ))
            .await;
        }
    }

    async fn execute(&self, sql: &str) {
        sql_query(sql).execute(&mut *self.app.databases.postgres.get().await.unwrap()).await.unwrap();
    }

    /// Lets the next interval begin.
    fn next_interval(&self) {
        self.app.clock.advance(INTERVAL);
    }

    /// Rows of the primary database, each as an object.
    async fn rows(&self, table_and_conditions: &str) -> Vec<Value> {
        rows(&self.app.databases.postgres, table_and_conditions).await
    }

    /// Samples, each as an object.
    async fn samples(&self, conditions: &str) -> Vec<Value> {
        rows(&self.app.databases.timescaledb, &format!("channel_samples AS t WHERE {conditions}")).await
    }

    async fn samples_of(&self, platform: Platform, channel: &str) -> Vec<Value> {
        let channel = format!("platform = '{platform}' AND platform_channel_id = '{channel}'");
        self.samples(&format!("{channel} AND viewer_count IS NOT NULL ORDER BY at")).await
    }

    /// Number of live samples of a platform.
    async fn count_samples(&self, platform: Platform) -> usize {
        self.samples(&format!("platform = '{platform}' AND viewer_count IS NOT NULL")).await.len()
    }

    /// Public state of a channel; null when there is none.
    async fn channel(&self, platform: Platform, id: &str) -> Value {
        let condition = format!("platform = '{platform}' AND platform_channel_id = '{id}'");
        let found = self.rows(&format!("public_channels AS t WHERE {condition}")).await;
        found.into_iter().next().unwrap_or_default()
    }

    /// Schedule of a channel; null when there is none.
    async fn schedule(&self, platform: Platform, id: &str) -> Value {
        let condition = format!("platform = '{platform}' AND platform_channel_id = '{id}'");
        let found = self.rows(&format!("crawler_channels AS t WHERE {condition}")).await;
        found.into_iter().next().unwrap_or_default()
    }

    /// Waits until a platform has this number of live samples.
    async fn sampled(&self, platform: Platform, number: usize) {
        eventually("the channels are sampled", async || self.count_samples(platform).await == number).await;
    }

    /// Stops a copy and the server.
    async fn stop(self, running: Running) {
        running.stop().await.unwrap();
        self.app.stop().await;
    }
}

async fn rows(database: &Database, table_and_conditions: &str) -> Vec<Value> {
    let sql = format!("SELECT to_jsonb(t) AS row FROM {table_and_conditions}");
    let rows: Vec<Row> = sql_query(sql).load(&mut *database.get().await.unwrap()).await.unwrap();
    rows.into_iter().map(|row| row.row).collect()
}

/// Ids of rows, sorted.
fn ids(rows: &[Value]) -> Vec<String> {
    let id = |row: &Value| row["platform_channel_id"].as_str().expect("an id").to_owned();
    let mut ids: Vec<String> = rows.iter().map(id).collect();
    ids.sort();
    ids
}
