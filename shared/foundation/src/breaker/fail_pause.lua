-- KEYS: pause, failures in a row. ARGV: now, failures that pause, their window and the pause in milliseconds.
-- Returns 1 when this failure is the one that pauses.
local limit = tonumber(ARGV[2])
redis.call('RPUSH', KEYS[2], ARGV[1])
redis.call('LTRIM', KEYS[2], -limit, -1)
redis.call('PEXPIRE', KEYS[2], ARGV[3])
if redis.call('LLEN', KEYS[2]) < limit then
  return 0
end
if tonumber(ARGV[1]) - tonumber(redis.call('LINDEX', KEYS[2], 0)) > tonumber(ARGV[3]) then
  return 0
end
redis.call('DEL', KEYS[2])
redis.call('SET', KEYS[1], 1, 'PX', ARGV[4])
return 1
