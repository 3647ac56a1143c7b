/** A copy of the repository that may be changed while the working tree stays as it is. */

import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { repositoryFiles, root } from "./files.ts";

/** The packages of the repository itself: these must be those of the copy. */
const ownScope = "@reprise";

export class TreeCopy implements Disposable {
  readonly root = mkdtempSync(path.join(realpathSync(tmpdir()), "reprise-copy-"));

  constructor() {
    for (const file of repositoryFiles()) cpSync(path.join(root, file), this.path(file));
    this.#linkModules();
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  path(file: string): string {
    return path.join(this.root, file);
  }

  #linkModules(): void {
    const modules = path.join(root, "node_modules");
    mkdirSync(this.path(`node_modules/${ownScope}`), { recursive: true });
    for (const name of readdirSync(modules))
      if (name !== ownScope)
        symlinkSync(path.join(modules, name), this.path(`node_modules/${name}`));
    for (const name of readdirSync(path.join(modules, ownScope)))
      symlinkSync(this.path(`packages/${name}`), this.path(`node_modules/${ownScope}/${name}`));
  }
}
