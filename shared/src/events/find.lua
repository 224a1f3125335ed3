-- KEYS: a channel's stream. ARGV: a text, the most entries to look at. Answers the message of the latest entry that has
-- the text.
local page, looked, last = 100, 0, '+'
while looked < tonumber(ARGV[2]) do
  local entries = redis.call('XREVRANGE', KEYS[1], last, '-', 'COUNT', page)
  for _, entry in ipairs(entries) do
    if string.find(entry[2][4], ARGV[1], 1, true) then return entry[2][4] end
  end
  if #entries < page then return false end
  looked, last = looked + page, '(' .. entries[page][1]
end
return false
