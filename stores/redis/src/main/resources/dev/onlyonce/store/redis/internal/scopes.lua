-- Names scopes. KEYS: scopes. ARGV: id and name of each scope to add.
-- Returns all ids and names if none is added.
if #ARGV == 0 then return redis.call('hgetall', KEYS[1]) end
for i = 1, #ARGV, 2 do redis.call('hsetnx', KEYS[1], ARGV[i], ARGV[i + 1]) end
return {}
