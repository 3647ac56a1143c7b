/** The one way to make a temporary folder in a test. It is removed at the end of the test file at the latest. */

import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A new folder, without symbolic links in its path. The caller removes one with another parent. */
export function temporaryFolder(name: string, parent: string = tmpdir()): string {
  return mkdtempSync(join(realpathSync(parent), `${name}-`));
}
