-- Finds delayed jobs whose envelope contains a text.
--
-- KEYS: delayed set. ARGV: text, cursor ('0' = the start), approximate number of jobs to check.
-- Returns the cursor to continue at ('0' = all checked), then each envelope that contains the text.
local page = redis.call('ZSCAN', KEYS[1], ARGV[2], 'COUNT', ARGV[3])
local found = { page[1] }
for i = 1, #page[2], 2 do
  if string.find(page[2][i], ARGV[1], 1, true) then found[#found + 1] = page[2][i] end
end
return found
