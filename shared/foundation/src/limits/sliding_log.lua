-- KEYS: counted times, time of the last reported refusal. ARGV: now, window in milliseconds, limit, id of the action.
-- Counts one unless the window is full. Returns the milliseconds until it is not full, or 0, and 1 for the first
-- refusal in a window.
local now, window, most = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
if redis.call('ZCARD', KEYS[1]) >= most then
  local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
  local wait = math.max(1, math.floor(tonumber(oldest[2]) + window - now))
  local refused = tonumber(redis.call('GET', KEYS[2]) or '')
  if refused and now - refused < window then return { wait, 0 } end
  redis.call('SET', KEYS[2], ARGV[1], 'PX', window)
  return { wait, 1 }
end
redis.call('ZADD', KEYS[1], now, ARGV[4])
redis.call('PEXPIRE', KEYS[1], window)
return { 0, 0 }
