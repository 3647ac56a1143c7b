/** Probe results by host: two hosts of one home may have different programs under one path. */

export const probeHosts = `
  -- A cache: what it forgets is found out again.
  DROP TABLE probe;
  CREATE TABLE probe (
    host TEXT COLLATE "C" NOT NULL,
    binary_path TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    result TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (host, binary_path)
  );
`;
