-- KEYS: value, expiry time of each key, size of each key. ARGV: key, value, seconds to live, now, maximum keys,
-- maximum bytes, maximum lifetime. Returns 0 when there is no room.
local expired = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[4])
for _, key in ipairs(expired) do
  redis.call('ZREM', KEYS[2], key)
  redis.call('HDEL', KEYS[3], key)
end
local before = tonumber(redis.call('HGET', KEYS[3], ARGV[1]) or 0)
if before == 0 and redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[5]) then
  return 0
end
local total = #ARGV[2] - before
for _, size in ipairs(redis.call('HVALS', KEYS[3])) do
  total = total + tonumber(size)
end
if total > tonumber(ARGV[6]) then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
redis.call('ZADD', KEYS[2], tonumber(ARGV[4]) + tonumber(ARGV[3]), ARGV[1])
redis.call('HSET', KEYS[3], ARGV[1], #ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[7])
redis.call('EXPIRE', KEYS[3], ARGV[7])
return 1
