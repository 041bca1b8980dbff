-- Settles claims. See docs/formats/redis.md for the record.
-- KEYS: shard.
-- ARGV: id, whether a field may repeat, number of buckets or '', force, number of items,
--       number of runs of items,
--       (head, milliseconds kept, milliseconds not to be claimed, K|F|R for the attempts, token,
--       number of items) of each run, the fields of all items, the results of those whose head has
--       one.
-- Returns a digit of each item: 2 done, 1 was so already, 0 not held.
local found = redis.call('hget', KEYS[1], 'q')
if not found or string.sub(found, 1, 16) ~= ARGV[1] then
  return redis.error_reply('FOREIGN the shard is not of this store')
end
local t = redis.call('time')
local now = math.floor((t[1] * 1000000 + t[2]) / 1000)
local count, runs = tonumber(ARGV[5]), tonumber(ARGV[6])
local base = 7 + 6 * runs
local byte, sub, char = string.byte, string.sub, string.char
local pack, unpacked = struct.pack, struct.unpack

local records = redis.call('hmget', KEYS[1], unpack(ARGV, base, base + count - 1))
lookUp(records, base, count, tonumber(ARGV[3]), recordAt)

local function ending(ms)
  return math.min(now + ms, 281474976710655)
end

-- How far a time is from now, in four bytes: milliseconds, or from 2^31 on seconds, or not known.
local function span(til)
  local ms = til - now
  if ms < 2147483648 then return ms end
  return math.min(2147483648 + math.ceil(ms / 1000), 4294967295)
end

-- Returns where what follows the names in the details is.
local function afterNames(record, at)
  at = at + 2 + byte(record, at + 1)
  at = at + 2 + unpacked('>I2', record, at)
  return at + 1 + byte(record, at)
end

local function kindOf(at)
  local head, notBefore = byte(ARGV[at]), ending(ARGV[at + 2])
  local expires = math.max(ending(ARGV[at + 1]), notBefore)
  local rest = ARGV[at + 4] .. pack('>I6I4', expires, span(expires))
  return {
    state = head % 8,
    head = head,
    rest = rest,
    plain = char(head) .. rest,
    compared = char(head + 16) .. rest,
    notBefore = pack('>I6', notBefore),
    attempts = ARGV[at + 3],
  }
end

local function released(record, head, kind)
  local at = 31
  if math.floor(head / 16) % 2 == 1 then at = at + 1 + byte(record, at) end
  local stop = afterNames(record, at)
  local attempt = unpacked('>I2', record, 19)
  if kind.attempts == 'F' then attempt = math.max(attempt - 1, 0) end
  if kind.attempts == 'R' then attempt = 0 end
  return char(head + 3) .. kind.rest .. pack('>I2', attempt) .. sub(record, 21, at - 1)
    .. char(byte(record, at) + 4) .. sub(record, at + 1, stop - 1) .. kind.notBefore
    .. sub(record, stop)
end

local function settled(record, head, kind, result)
  if kind.state == 2 then
    if math.floor(head / 16) % 2 == 0 then return kind.plain .. sub(record, 19, 30) .. result end
    return kind.compared .. sub(record, 19, 31 + byte(record, 31)) .. result
  elseif kind.state == 3 then
    return char(head - 1 + kind.head) .. kind.rest .. sub(record, 19) .. result
  end
  return released(record, head, kind)
end

local seen = ARGV[2] == '1' and {}
-- As long as they can become: a table that grows is slow.
local digits = {unpack(ARGV, base, base + count - 1)}
local writes = {unpack(ARGV, base, base + count - 1)}
local i, written, own = 0, 0, base + count
for run = 1, runs do
  local at = 1 + 6 * run
  local kind, token = kindOf(at), ARGV[at + 4]
  local hasResult = math.floor(kind.head / 64) % 2 == 1
  for _ = 1, tonumber(ARGV[at + 5]) do
    local field, result = ARGV[base + i], ''
    i = i + 1
    if hasResult then
      result = ARGV[own]
      own = own + 1
    end
    local record, digit = seen and seen[field] or records[i], '0'
    if record and sub(record, 2, 8) == token then
      local head = byte(record)
      if head % 8 == 1 then
        local new = settled(record, head, kind, result)
        writes[written + 1] = field
        writes[written + 2] = new
        written = written + 2
        if seen then seen[field] = new end
        digit = '2'
      elseif head % 8 == kind.state then
        digit = '1'
      end
    end
    digits[i] = digit
  end
end

if written > 0 or ARGV[4] == '1' then
  -- A first write that needs no memory lets the next one pass at maxmemory.
  redis.call('hdel', KEYS[1], '')
  redis.call('hset', KEYS[1], 'q', found, unpack(writes, 1, written))
end
return table.concat(digits)
