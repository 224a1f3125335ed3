-- KEYS: value, expiry time of each key, size of each key. ARGV: key. Returns 1 when there was a value, else 0.
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
return redis.call('DEL', KEYS[1])
