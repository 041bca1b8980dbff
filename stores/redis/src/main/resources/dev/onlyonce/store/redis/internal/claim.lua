-- Claims keys. See docs/formats/redis.md for the record.
-- KEYS: shard.
-- ARGV: id, whether a field may repeat, number of buckets or '', tolerance, force, number of
--       runs of items, (head, milliseconds, expected token or '', number of items) of each run, the
--       fields of all items, the bodies of all items.
-- Returns: microseconds, token, the numbers of the items for which a record was there, and these
--   records; the number is negative if the record was left as it is.
local found = redis.call('hget', KEYS[1], 'q')
if not found or string.sub(found, 1, 16) ~= ARGV[1] then
  return redis.error_reply('FOREIGN the shard is not of this store')
end
local t = redis.call('time')
local us = t[1] * 1000000 + t[2]
local now = math.floor(us / 1000)
local token = tonumber(string.sub(found, 18)) + 1
if us > token then token = us end
local tolerance = tonumber(ARGV[4])
local runs = tonumber(ARGV[6])
local base = 7 + 4 * runs
local byte, sub, char = string.byte, string.sub, string.char
local pack, unpacked = struct.pack, struct.unpack

local count = (#ARGV - base + 1) / 2
local records = redis.call('hmget', KEYS[1], unpack(ARGV, base, base + count - 1))
local tier = lookUp(records, base, count, tonumber(ARGV[3]), recordAt)

local function ending(ms)
  return math.min(now + ms, 281474976710655)
end

-- How far a time is from now, in four bytes: milliseconds, or from 2^31 on seconds, or not known.
local function span(til)
  local ms = til - now
  if ms < 2147483648 then return ms end
  return math.min(2147483648 + math.ceil(ms / 1000), 4294967295)
end

-- Of the run that is looked at: the head as a string and as a number, when the lease ends or the
-- record expires, the token that is expected.
local first, wanted, til, expected

-- Returns the beginning of a new record.
local function beginning(with)
  return first .. pack('>I7I6I4', with, til, span(til))
end

-- Returns where what follows the names in the details is.
local function afterNames(record, at)
  at = at + 2 + byte(record, at + 1)
  at = at + 2 + unpacked('>I2', record, at)
  return at + 1 + byte(record, at)
end

-- Returns fingerprint with length, creation time (0: not known), checkpoint with length.
local function kept(record, head, oldToken)
  local at, fingerprint, created, checkpoint = 31, '', pack('>I6', 0), ''
  local state = head % 8
  if state < 1 or state > 4 then return '', created, '' end
  if math.floor(head / 16) % 2 == 1 then
    fingerprint = sub(record, at, at + byte(record, at))
    at = at + #fingerprint
  end
  if head >= 128 then
    local has = byte(record, at)
    created = pack('>I6', math.floor(oldToken / 1000))
    at = afterNames(record, at)
    if has >= 4 then at = at + 6 end
    if math.floor(has / 2) % 2 == 1 then
      created = sub(record, at, at + 5)
      at = at + 6
    end
    if has % 2 == 1 then
      checkpoint = sub(record, at, at + 3 + unpacked('>I4', record, at))
    end
  end
  return fingerprint, created, checkpoint
end

-- Returns the record of a claim on one that is there and has not expired.
local function granted(record, oldHead, oldToken, body)
  local head = wanted
  local fingerprint, created, checkpoint = kept(record, oldHead, oldToken)
  local rest = 13
  if math.floor(head / 16) % 2 == 1 then
    rest = 14 + byte(body, 13)
    fingerprint = sub(body, 13, rest - 1)
  elseif fingerprint ~= '' then
    head = head + 16
  end
  local tail = sub(body, rest)
  if head >= 128 then
    local has = checkpoint == '' and 2 or 3
    tail = char(has) .. sub(tail, 2) .. created .. checkpoint
  end
  local attempt = unpacked('>I2', record, 19)
  -- Opened and completed in one step: a decision, and no attempt.
  if not (expected and wanted % 8 == 2) then attempt = math.min(attempt + 1, 65535) end
  return char(head)
    .. pack('>I7I6I4I2', math.max(token, oldToken + 1), til, span(til), attempt)
    .. sub(body, 3, 12) .. fingerprint .. tail
end

-- Tells whether a record that has not expired is granted.
local function isFree(record, head, oldToken, ends, body)
  if expected and oldToken == expected then return true end
  local state = head % 8
  if state == wanted % 8 and sub(record, 23, 30) == sub(body, 5, 12) then return false end
  if expected or (state ~= 1 and state ~= 4) then return false end
  if math.floor(head / 16) % 2 == 1 and math.floor(wanted / 16) % 2 == 1 then
    local length = byte(record, 31)
    if sub(record, 31, 31 + length) ~= sub(body, 13, 13 + byte(body, 13)) then return false end
  end
  if state == 1 then
    return math.floor(head / 8) % 2 == 0 and now >= ends + tolerance
  end
  local at = 31
  if math.floor(head / 16) % 2 == 1 then at = at + 1 + byte(record, at) end
  return now >= unpacked('>I6', record, afterNames(record, at))
end

local largest = token

-- Returns what a record that is there becomes, nil if it stays as it is.
local function overtaken(record, body)
  local head, oldToken, ends = unpacked('>BI7I6', record)
  local state, new = head % 8, nil
  if state >= 2 and state <= 4 and now >= ends then
    new = beginning(math.max(token, oldToken + 1)) .. body
  elseif isFree(record, head, oldToken, ends, body) then
    new = granted(record, head, oldToken, body)
  end
  if new and oldToken >= largest then largest = oldToken + 1 end
  return new
end

local seen = ARGV[2] == '1' and {}
local writes = {unpack(ARGV, base)} -- as long as it can become: a table that grows is slow
local numbers, others = {}, {}
local i, written, met = 0, 0, 0
for run = 1, runs do
  local at = 3 + 4 * run
  first, wanted = ARGV[at], byte(ARGV[at])
  til = ending(ARGV[at + 1])
  expected = tonumber(ARGV[at + 2])
  local fresh = beginning(token)
  for _ = 1, tonumber(ARGV[at + 3]) do
    local field, body = ARGV[base + i], ARGV[base + count + i]
    i = i + 1
    local record, new = seen and seen[field] or records[i]
    if record then
      new = overtaken(record, body)
      met = met + 1
      numbers[met] = new and i or -i
      others[met] = record
    else
      new = fresh .. body
    end
    if new then
      writes[written + 1] = field
      writes[written + 2] = new
      written = written + 2
      takeOut(tier, field)
      if seen then seen[field] = new end
    end
  end
end

if written > 0 or ARGV[5] == '1' then
  written = addChanged(tier, writes, written)
  redis.call('hset', KEYS[1], 'q', ARGV[1] .. string.format(' %.0f', largest),
    unpack(writes, 1, written))
end
return {us, token, numbers, others}
