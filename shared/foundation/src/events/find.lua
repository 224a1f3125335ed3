-- KEYS: stream of a channel. ARGV: highest number of entries to read, then texts. Returns the message of the
-- latest entry that contains all of the texts.
local function has_all(message)
  for index = 2, #ARGV do
    if not string.find(message, ARGV[index], 1, true) then return false end
  end
  return true
end

local page, looked, last = 100, 0, '+'
while looked < tonumber(ARGV[1]) do
  local entries = redis.call('XREVRANGE', KEYS[1], last, '-', 'COUNT', page)
  for _, entry in ipairs(entries) do
    if has_all(entry[2][4]) then return entry[2][4] end
  end
  if #entries < page then return false end
  looked, last = looked + page, '(' .. entries[page][1]
end
return false
