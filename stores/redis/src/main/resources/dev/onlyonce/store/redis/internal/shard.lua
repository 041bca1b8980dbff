-- Makes a shard, or tells whose it is.
-- KEYS: shard. ARGV: id of the store, 1 to make it. Returns the field 'q', '' if there is none.
-- Writing is refused when the memory is full, even if it changes nothing.
if ARGV[2] == '1' and not redis.call('hget', KEYS[1], 'q') then
  redis.call('hset', KEYS[1], 'q', ARGV[1] .. ' 0')
end
return redis.call('hget', KEYS[1], 'q') or ''
