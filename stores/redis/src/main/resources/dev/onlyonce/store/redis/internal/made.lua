-- Notes that all shards of a store have been made. KEYS: meta. ARGV: id. Returns 1, 0 if it is another store.
if redis.call('hget', KEYS[1], 'id') ~= ARGV[1] then return 0 end
-- A first write that needs no memory lets the next one pass at maxmemory.
redis.call('hdel', KEYS[1], '')
redis.call('hset', KEYS[1], 'made', '1')
return 1
