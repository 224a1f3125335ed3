-- KEYS: this slot's claim, lines said so far, lines said at the last run. ARGV: fewest lines since, seconds that the claim
-- is kept, seconds that the last run is. Answers 1 to the one who is to run the timer in this slot.
if not redis.call('SET', KEYS[1], 1, 'NX', 'EX', ARGV[2]) then
  return 0
end
local said = tonumber(redis.call('GET', KEYS[2]) or '0')
local before = tonumber(redis.call('GET', KEYS[3]) or '0')
-- The count begins anew when nothing was said for long.
if before > said then
  before = 0
end
if said - before < tonumber(ARGV[1]) then
  return 0
end
redis.call('SET', KEYS[3], said, 'EX', ARGV[3])
return 1
