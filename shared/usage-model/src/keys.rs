//! Keys of the counts in Redis. Those of one shard are used together and have one slot.

use foundation::redis::Redis;
use uuid::Uuid;

/// Number of shards. A buffer of counts adds to one of them, so that a cluster divides the work.
pub(crate) const SHARDS: u8 = 4;

/// Keys of one shard.
#[derive(Debug, Clone)]
pub(crate) struct ShardKeys {
    /// Hash of the counts to which processes add.
    pub open: String,
    /// Id that the open counts will have as a batch.
    pub open_id: String,
    /// Hash of the counts that are being moved to PostgreSQL. It does not change.
    pub batch: String,
    /// Id of the batch.
    pub batch_id: String,
}

impl ShardKeys {
    /// Keys of a shard.
    pub fn of(redis: &Redis, shard: u8) -> Self {
        Self {
            open: redis.key(format_args!("usage:{shard}:open")),
            open_id: redis.key(format_args!("usage:{shard}:open_id")),
            batch: redis.key(format_args!("usage:{shard}:batch")),
            batch_id: redis.key(format_args!("usage:{shard}:batch_id")),
        }
    }
}

/// Shard of a buffer of counts.
pub(crate) fn shard_of(buffer: Uuid) -> u8 {
    u8::try_from(buffer.as_u128() % u128::from(SHARDS)).unwrap_or_default()
}

/// Key of the number of the last addition of a buffer.
pub(crate) fn last_addition(redis: &Redis, shard: u8, buffer: Uuid) -> String {
    redis.key(format_args!("usage:{shard}:process:{buffer}"))
}
