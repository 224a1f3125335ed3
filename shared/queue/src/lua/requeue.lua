-- Puts one dead letter back on the stream.
--
-- KEYS: stream, dead letters. ARGV: entry id of the dead letter, envelope with its attempts reset.
-- Returns 1, or 0 when the dead letter is gone: of two operators who requeue it, one moves it.
if redis.call('XDEL', KEYS[2], ARGV[1]) == 0 then return 0 end
redis.call('XADD', KEYS[1], '*', 'j', ARGV[2])
return 1
