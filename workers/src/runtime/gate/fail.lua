-- KEYS: failures in a row, pause. ARGV: now, failures that pause, their window and the pause in milliseconds.
-- Answers 1 when this failure is the one that pauses.
local limit = tonumber(ARGV[2])
redis.call('RPUSH', KEYS[1], ARGV[1])
redis.call('LTRIM', KEYS[1], -limit, -1)
redis.call('PEXPIRE', KEYS[1], ARGV[3])
if redis.call('LLEN', KEYS[1]) < limit then
  return 0
end
if tonumber(ARGV[1]) - tonumber(redis.call('LINDEX', KEYS[1], 0)) > tonumber(ARGV[3]) then
  return 0
end
redis.call('DEL', KEYS[1])
redis.call('SET', KEYS[2], 1, 'PX', ARGV[4])
return 1
