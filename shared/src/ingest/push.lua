-- KEYS: the stream of a table. ARGV: most rows it holds, rows. Answers how many were kept.
local room = tonumber(ARGV[1]) - redis.call('XLEN', KEYS[1])
local kept = 0
for i = 2, #ARGV do
  if kept < room then
    redis.call('XADD', KEYS[1], '*', 'row', ARGV[i])
    kept = kept + 1
  end
end
return kept
