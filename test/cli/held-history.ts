/**
 * Loaded into the command line before it starts (`node --import`), to stop it at one moment: when it
 * opens a provider's history in HELD_HISTORY it leaves HELD_MARK and gets no further, while everything
 * else in the process continues. It can only be ended.
 */

import { promises, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { dirname } from "node:path";

const { HELD_HISTORY, HELD_MARK = "" } = process.env;

const { open } = promises;

promises.open = async (path, ...rest) => {
  if (dirname(String(path)) !== HELD_HISTORY) return open(path, ...rest);
  writeFileSync(HELD_MARK, "");
  return new Promise(() => {
    // Keeps the process there.
    setInterval(() => {}, 60_000);
  });
};
syncBuiltinESMExports();
