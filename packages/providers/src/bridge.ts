/** Bridges: small executables that a provider starts, such as one that speaks an agent's protocol. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface Bridge {
  /** The file name in a build of Reprise, without `.js`. */
  readonly name: string;
  /** The file that is built, or run as it is. */
  readonly source: string;
}

/** `source` is relative to the module at `base`, which is its `import.meta.url`. */
export function bridge(name: string, source: string, base: string): Bridge {
  return { name, source: fileURLToPath(new URL(source, base)) };
}

/** The file to start: the source where it is there, else the one that was built beside this module. */
export function bridgePath({ name, source }: Bridge): string {
  return existsSync(source) ? source : fileURLToPath(new URL(`./${name}.js`, import.meta.url));
}
