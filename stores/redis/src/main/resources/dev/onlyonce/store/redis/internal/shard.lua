-- Makes a shard, or tells whose it is.
-- KEYS: shard. ARGV: id of the store. Returns the field 'q'.
-- Writing is refused when the memory is full, even if it changes nothing.
if not redis.call('hget', KEYS[1], 'q') then
  redis.call('hset', KEYS[1], 'q', ARGV[1] .. ' 0')
end
return redis.call('hget', KEYS[1], 'q')
