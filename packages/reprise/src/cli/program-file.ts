/** The file that starts `reprise`, for starting it again: beside the bundle, or beside the source. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export function programFile(): string {
  const bundled = fileURLToPath(new URL("../bin/reprise.cjs", import.meta.url));
  return existsSync(bundled)
    ? bundled
    : fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));
}
