-- Adds counts of a buffer, each addition once. KEYS: open counts; their id; last addition of the buffer. ARGV: number
-- of the addition; lifetime of that number in seconds; id for the open counts where they have none; then fields and
-- numbers. Returns 0 for an addition that was made before.
local last = tonumber(redis.call('GET', KEYS[3]) or '0')
if last >= tonumber(ARGV[1]) then
  return 0
end
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('SET', KEYS[2], ARGV[3])
end
for at = 4, #ARGV, 2 do
  redis.call('HINCRBY', KEYS[1], ARGV[at], ARGV[at + 1])
end
redis.call('SET', KEYS[3], ARGV[1], 'EX', ARGV[2])
return 1
