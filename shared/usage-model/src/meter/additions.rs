//! Additions of a process to the counts in Redis.

use std::{
    collections::{HashMap, VecDeque},
    sync::LazyLock,
};

use foundation::redis::{Redis, SeparateConnection};
use redis::Script;
use shared::id;
use uuid::Uuid;

use crate::{
    consumer::Consumer,
    counts::{Counter, Counts},
    fields,
    keys::{ShardKeys, last_addition, shard_of},
};

static ADD: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("add.lua")));

/// Fields of one call.
const MAX_FIELDS: usize = 4_000;
/// Lifetime of the number of the last addition, in seconds: the longest time for which one is repeated.
const LAST_ADDITION_TTL_SECS: u64 = 24 * 3600;

/// Counts that wait, by hour and consumer.
pub(super) type Pending = HashMap<(i64, Consumer), Counts>;

/// Part of the counts that is sent in one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Addition {
    /// Number of the addition in its buffer, from 1.
    pub number: u64,
    /// Names of fields and what is added to each.
    fields: Vec<(String, i64)>,
}

/// Counts that were taken together, until all of their additions are made.
#[derive(Debug, Default)]
pub(super) struct Sending {
    /// Generation of the counts.
    pub generation: u64,
    /// Additions that are left.
    pub left: VecDeque<Addition>,
}

/// Place of the additions of one buffer.
#[derive(Debug, Clone)]
pub(super) struct Target {
    keys: ShardKeys,
    last: String,
}

impl Sending {
    /// Divides counts into additions, which continue the numbers of the buffer after `last`.
    pub fn of(pending: Pending, generation: u64, last: u64) -> Self {
        let mut fields: Vec<(String, i64)> = Vec::with_capacity(pending.len());
        for ((hour, consumer), counts) in pending {
            for counter in Counter::ALL {
                let number = counts.get(counter);
                if number != 0 {
                    fields.push((fields::name(hour, &consumer, counter), number));
                }
            }
        }
        let parts = fields.chunks(MAX_FIELDS).zip(last.saturating_add(1)..);
        let left = parts.map(|(part, number)| Addition { number, fields: part.to_vec() }).collect();
        Self { generation, left }
    }

    /// Number of the last addition; `last` when there is none.
    pub fn last_number(&self, last: u64) -> u64 {
        self.left.back().map_or(last, |addition| addition.number)
    }
}

impl Target {
    /// Place of the buffer with an id.
    pub fn of(redis: &Redis, buffer: Uuid) -> Self {
        let shard = shard_of(buffer);
        Self { keys: ShardKeys::of(redis, shard), last: last_addition(redis, shard, buffer) }
    }

    /// Makes an addition. One that was made before changes nothing.
    ///
    /// # Errors
    /// A failure of Redis; the addition may have been made.
    pub async fn add(
        &self,
        connection: &mut SeparateConnection,
        addition: &Addition,
    ) -> redis::RedisResult<()> {
        let mut call = ADD.key(&self.keys.open);
        call.key(&self.keys.open_id).key(&self.last);
        call.arg(addition.number).arg(LAST_ADDITION_TTL_SECS).arg(id::new().to_string());
        for (name, number) in &addition.fields {
            call.arg(name).arg(*number);
        }
        let _is_new: u8 = call.invoke_async(connection).await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sending_divides_many_counts_into_additions_with_numbers_in_order() {
        let consumer = || Consumer::account(Uuid::now_v7());
        let counts = Counts { requests: 2, ..Counts::default() };
        let pending: Pending = (0..MAX_FIELDS + 1).map(|_| ((1, consumer()), counts)).collect();
        let sending = Sending::of(pending, 7, 4);
        let numbers: Vec<u64> = sending.left.iter().map(|addition| addition.number).collect();
        assert_eq!((sending.generation, numbers, sending.last_number(4)), (7, vec![5, 6], 6));
        assert_eq!(sending.left.iter().map(|addition| addition.fields.len()).sum::<usize>(), MAX_FIELDS + 1);
        // What was taken back completely is not sent.
        let none = Sending::of([((1, consumer()), Counts::default())].into(), 8, 6);
        assert_eq!((none.left.len(), none.last_number(6)), (0, 6));
    }
}
