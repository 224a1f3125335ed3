-- KEYS: pause, failures in a row. ARGV: shortest and longest pause in milliseconds, random part of the pause that is
-- left out, in thousandths. Counts a failure and pauses every copy, twice as long as after the failure before. Failures
-- of calls that were running when a pause began do not count. Returns the pause in milliseconds.
local running = redis.call('PTTL', KEYS[1])
if running > 0 then return running end
local failures = redis.call('INCR', KEYS[2])
redis.call('PEXPIRE', KEYS[2], 3600000)
local pause = math.min(tonumber(ARGV[2]), tonumber(ARGV[1]) * 2 ^ math.min(failures - 1, 20))
pause = math.max(1, math.floor(pause * (1 - tonumber(ARGV[3]) / 1000)))
redis.call('SET', KEYS[1], 1, 'PX', pause)
return pause
