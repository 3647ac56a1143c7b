/** A folder that is there for one bench. */

import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class Scratch implements Disposable {
  readonly folder = mkdtempSync(join(realpathSync(tmpdir()), "reprise-bench-"));

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }
}
