-- KEYS: state, failures. ARGV: now, failures that open, their window and the pause in milliseconds, id of the failure.
-- Returns 1 when the breaker is open from now on.
local now = tonumber(ARGV[1])
redis.call('ZADD', KEYS[2], now, ARGV[5])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - tonumber(ARGV[3]))
redis.call('PEXPIRE', KEYS[2], ARGV[3])
local is_open = redis.call('HEXISTS', KEYS[1], 'opened') == 1
if is_open or redis.call('ZCARD', KEYS[2]) >= tonumber(ARGV[2]) then
  redis.call('HSET', KEYS[1], 'opened', ARGV[1])
  redis.call('HDEL', KEYS[1], 'trial')
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return 1
end
return 0
