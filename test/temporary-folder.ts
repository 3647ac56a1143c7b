/** The one way to make a temporary folder in a test. It is removed at the end of the test file at the latest. */

import { mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

let prepare: (folder: string) => void = () => {};

/** A new folder, without symbolic links in its path. The caller removes one with another parent. */
export function temporaryFolder(name: string, parent: string = tmpdir()): string {
  const folder = mkdtempSync(join(realpathSync(parent), `${name}-`));
  prepare(folder);
  return folder;
}

/** A folder of this test file, the same one for each call with this name. */
export function sharedFolder(name: string): string {
  const folder = join(realpathSync(tmpdir()), name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** From now on `work` is done with each new folder before a test gets it. */
export function prepareFolders(work: (folder: string) => void): void {
  prepare = work;
}
