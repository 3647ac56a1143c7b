/** A folder that is there for one bench. */

import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Scratch implements Disposable {
  readonly folder: string;

  constructor(parent = tmpdir()) {
    this.folder = mkdtempSync(join(realpathSync(parent), "reprise-bench-"));
    // A program that runs as another user, such as PostgreSQL, needs access to its folder in it.
    chmodSync(this.folder, 0o711);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** A folder in it. */
  folderOf(name: string): string {
    const folder = this.path(name);
    mkdirSync(folder);
    return folder;
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }
}
