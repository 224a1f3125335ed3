-- KEYS: pause. ARGV: milliseconds. Pauses every copy, unless a longer pause is running.
if redis.call('PTTL', KEYS[1]) >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], 1, 'PX', ARGV[1])
return 1
