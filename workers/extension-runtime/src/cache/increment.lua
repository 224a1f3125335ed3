-- KEYS: value, expiry time of each key, size of each key. ARGV: key, by, seconds to live, now, maximum keys,
-- maximum number, maximum lifetime. Returns ok, full or wrong, and the new number.
local current = redis.call('GET', KEYS[1])
if current then
  if not string.match(current, '^-?%d+$') then
    return { 'wrong', 0 }
  end
  local sum = tonumber(current) + tonumber(ARGV[2])
  if math.abs(sum) > tonumber(ARGV[6]) then
    return { 'wrong', 0 }
  end
  return { 'ok', redis.call('INCRBY', KEYS[1], ARGV[2]) }
end
local expired = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', ARGV[4])
for _, key in ipairs(expired) do
  redis.call('ZREM', KEYS[2], key)
  redis.call('HDEL', KEYS[3], key)
end
redis.call('ZREM', KEYS[2], ARGV[1])
if redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[5]) then
  return { 'full', 0 }
end
redis.call('SET', KEYS[1], ARGV[2], 'EX', ARGV[3])
redis.call('ZADD', KEYS[2], tonumber(ARGV[4]) + tonumber(ARGV[3]), ARGV[1])
redis.call('HSET', KEYS[3], ARGV[1], #ARGV[2])
redis.call('EXPIRE', KEYS[2], ARGV[7])
redis.call('EXPIRE', KEYS[3], ARGV[7])
return { 'ok', tonumber(ARGV[2]) }
