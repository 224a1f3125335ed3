-- KEYS: the value, when each key ends, how large each is. ARGV: key. Answers whether there was one.
redis.call('ZREM', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
return redis.call('DEL', KEYS[1])
