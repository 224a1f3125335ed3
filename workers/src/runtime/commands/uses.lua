-- KEYS: the command's count, whether the line was counted, commands to write. ARGV: count in the database, the command's
-- name in the last, seconds that the count and that the line are kept. Answers the count with this use.
local count = tonumber(redis.call('GET', KEYS[1]) or '0')
if count < tonumber(ARGV[1]) then
  count = tonumber(ARGV[1])
end
if redis.call('SET', KEYS[2], 1, 'NX', 'EX', ARGV[4]) then
  count = count + 1
  redis.call('SADD', KEYS[3], ARGV[2])
end
redis.call('SET', KEYS[1], count, 'EX', ARGV[3])
return count
