-- Finds entries of a stream whose envelope contains a text.
--
-- KEYS: stream. ARGV: text, entry id to start at ('-' = the first), highest number of entries to check.
-- Returns the last entry id that was checked ('' = none), then id and envelope of each entry that contains
-- the text.
--
-- The entries are checked here, so that a long queue is not transferred. The bound keeps one call short.
local found = { '' }
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], ARGV[2], '+', 'COUNT', ARGV[3])) do
  found[1] = entry[1]
  for i = 1, #entry[2], 2 do
    if entry[2][i] == 'j' and string.find(entry[2][i + 1], ARGV[1], 1, true) then
      found[#found + 1] = entry[1]
      found[#found + 1] = entry[2][i + 1]
    end
  end
end
return found
