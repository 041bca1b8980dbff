-- Numbers scopes, from 1; 0 when there are no numbers left.
-- KEYS: scopes. ARGV: names. Returns a number for each, or all names and numbers if none is given.
if #ARGV == 0 then return redis.call('hgetall', KEYS[1]) end
local numbers = {}
for i = 1, #ARGV do
  local number = redis.call('hget', KEYS[1], ARGV[i])
  if not number then
    number = redis.call('hlen', KEYS[1]) + 1
    if number > 65535 then
      number = 0
    else
      redis.call('hset', KEYS[1], ARGV[i], number)
    end
  end
  numbers[i] = tonumber(number)
end
return numbers
