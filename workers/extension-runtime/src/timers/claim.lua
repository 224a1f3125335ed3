-- KEYS: claim of this slot, lines at the last run. ARGV: lines so far, minimum lines since, lifetime of the claim and of
-- the last run in seconds. Returns 1 to the caller that runs the timer in this slot.
if not redis.call('SET', KEYS[1], 1, 'NX', 'EX', ARGV[3]) then
  return 0
end
local said = tonumber(ARGV[1])
local before = tonumber(redis.call('GET', KEYS[2]) or '0')
-- The count starts again when no line was written for long.
if before > said then
  before = 0
end
if said - before < tonumber(ARGV[2]) then
  return 0
end
redis.call('SET', KEYS[2], said, 'EX', ARGV[4])
return 1
