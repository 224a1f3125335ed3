-- Records that a worker is alive.
--
-- KEYS: workers. ARGV: consumer, milliseconds of silence after which a worker no longer counts.
--
-- The consumer group does not know: a consumer that waits for jobs without getting one leaves no trace there.
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
