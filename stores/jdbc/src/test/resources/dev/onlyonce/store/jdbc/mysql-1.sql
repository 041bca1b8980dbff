-- OnlyOnce, schema 1, MariaDB and MySQL. Times are milliseconds since 1970.

CREATE TABLE IF NOT EXISTS {claim} (
  scope       VARBINARY(128)  NOT NULL,    -- ASCII
  k           VARBINARY(1024) NOT NULL,    -- the bytes of the key
  token       BIGINT   NOT NULL,
  state       SMALLINT NOT NULL,           -- 1 claimed, 2 done, 3 failed, 4 released
  attempt     INT      NOT NULL,
  lapse       SMALLINT NOT NULL,           -- 1 take, 2 park
  request     BIGINT   NOT NULL,           -- of the claim
  stamp       BIGINT   NOT NULL,           -- of the statement that wrote last
  expected    BIGINT,                      -- the token that the claim expected, if any
  until_ms    BIGINT   NOT NULL,           -- claimed: end of the lease; released: not before
  expires_ms  BIGINT   NOT NULL,           -- settled: reads as absent from then on
  created_ms  BIGINT   NOT NULL,
  updated_ms  BIGINT   NOT NULL,
  fingerprint VARBINARY(32),
  result_kind SMALLINT NOT NULL,           -- 0 none, 1 value, 2 not kept
  result_type VARBINARY(508),              -- UTF-8
  result      LONGBLOB,
  checkpoint  MEDIUMBLOB,
  owner       VARCHAR(128) NOT NULL,       -- for display
  key_text    VARCHAR(200) NOT NULL,       -- for display
  PRIMARY KEY (scope, k)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC DEFAULT CHARACTER SET utf8mb4;

CREATE TABLE IF NOT EXISTS {position} (
  consumer VARBINARY(128) NOT NULL,        -- ASCII
  source   VARBINARY(512) NOT NULL,        -- UTF-8
  epoch    BIGINT NOT NULL,
  next     BIGINT NOT NULL,
  PRIMARY KEY (consumer, source)
) ENGINE = InnoDB ROW_FORMAT = DYNAMIC;

CREATE TABLE IF NOT EXISTS {meta} (
  id          SMALLINT PRIMARY KEY CHECK (id = 1),
  version     INT    NOT NULL,
  token_floor BIGINT NOT NULL              -- no token that was forgotten is larger
) ENGINE = InnoDB;

INSERT INTO {meta} (id, version, token_floor)
  SELECT 1, 1, 0 FROM DUAL WHERE NOT EXISTS (SELECT 1 FROM {meta});
