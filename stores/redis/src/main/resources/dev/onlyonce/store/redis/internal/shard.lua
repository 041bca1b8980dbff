-- Makes a shard, or tells whose it is.
-- KEYS: shard. ARGV: id of the store. Returns the field 'q'.
redis.call('hsetnx', KEYS[1], 'q', ARGV[1] .. ' 0')
return redis.call('hget', KEYS[1], 'q')
