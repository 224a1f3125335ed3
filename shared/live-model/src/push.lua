-- KEYS: stream of a table. ARGV: highest number of rows, highest number of bytes, rows. Returns the number of
-- kept rows.
local waiting = redis.call('XLEN', KEYS[1])
local room = tonumber(ARGV[1]) - waiting
local bytes = tonumber(ARGV[2])
-- A few rows are never too large together.
if waiting >= 1000 then bytes = bytes - redis.call('MEMORY', 'USAGE', KEYS[1]) end
local kept = 0
for i = 3, #ARGV do
  bytes = bytes - #ARGV[i]
  if kept >= room or bytes < 0 then break end
  redis.call('XADD', KEYS[1], '*', 'row', ARGV[i])
  kept = kept + 1
end
return kept
