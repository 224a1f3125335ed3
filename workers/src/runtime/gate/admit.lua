-- KEYS: pause, invocations of this minute, failures in a row. ARGV: seconds to keep the count.
-- Answers: paused (1 or 0), invocations with this one, failures in a row.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return { 1, 0, 0 }
end
local count = redis.call('INCR', KEYS[2])
if count == 1 then
  redis.call('EXPIRE', KEYS[2], ARGV[1])
end
return { 0, count, redis.call('LLEN', KEYS[3]) }
