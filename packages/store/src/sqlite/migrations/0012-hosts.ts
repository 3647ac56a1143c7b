/** Hosts, and the check whether the database can grow. */

export const hosts = `
-- A place from which the home is opened: a machine, its boot and a pid namespace. The beat grows while a
-- process there has the home open.
CREATE TABLE hosts (
  id TEXT NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  beat BIGINT NOT NULL,
  at BIGINT NOT NULL
);

-- Written and deleted to check whether the database can grow.
CREATE TABLE scratch (
  id INTEGER NOT NULL PRIMARY KEY,
  bytes BLOB NOT NULL
);

-- Live agents are counted before each launch.
CREATE INDEX turn_running ON turn (id) WHERE status = 'running';
`;
