-- KEYS: count of the command, mark of a counted line. ARGV: count in the database, lifetimes of count and mark in seconds.
-- Returns the count with this use.
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if count < tonumber(ARGV[1]) then
  count = tonumber(ARGV[1])
end
if redis.call('SET', KEYS[2], 1, 'NX', 'EX', ARGV[3]) then
  count = count + 1
end
redis.call('SET', KEYS[1], count, 'EX', ARGV[2])
return count
