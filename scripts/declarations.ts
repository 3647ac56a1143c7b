/**
 * The types of the published package. The compiler writes the declarations of all packages; those that an
 * entry reaches are copied, with imports of workspace packages rewritten to files beside them.
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { root } from "./files.ts";

const project = path.join(root, "packages/reprise/tsconfig.types.json");
/** What a line imports from; examples in comments import as well, and stay as they are. */
const specifiers = /(?<!^\s*\*.*)(\bfrom |\bimport[ (])"([^"]+)"/gm;

export interface Declarations {
  /** Folder for the compiler's whole output. */
  readonly scratch: string;
  /** Folder that the reachable declarations are written to. */
  readonly folder: string;
  /** Names of the entries: files of `packages/reprise/src`. */
  readonly entries: readonly string[];
  /** Packages that a user of the declarations has installed. */
  readonly installed: readonly string[];
}

/** @throws Error when a declaration imports a package that a user does not have. */
export function writeDeclarations({ scratch, folder, entries, installed }: Declarations): void {
  const compiler = path.join(root, "node_modules/.bin/tsc");
  execFileSync(compiler, ["-p", project, "--outDir", scratch], { stdio: "inherit" });
  const pending = entries.map((entry) => `reprise/${entry}`);
  const seen = new Set<string>();
  for (let module = pending.pop(); module !== undefined; module = pending.pop()) {
    if (seen.has(module)) continue;
    seen.add(module);
    const from = module;
    const [name = "", ...rest] = module.split("/");
    const text = readFileSync(path.join(scratch, name, "src", `${rest.join("/")}.d.ts`), "utf8");
    const rewritten = text.replaceAll(specifiers, (whole, before: string, specifier: string) => {
      const target = moduleOf(specifier, from);
      if (target === null) {
        if (isBuiltin(specifier) || installed.includes(specifier)) return whole;
        throw new Error(`The published type ${from} imports ${specifier}, which is not installed.`);
      }
      pending.push(target);
      return `${before}"${relative(from, target)}"`;
    });
    const file = path.join(folder, `${module}.d.ts`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, rewritten);
  }
}

/** `core/session/turn` for a specifier of the workspace; null for another package. */
function moduleOf(specifier: string, from: string): string | null {
  if (specifier.startsWith("."))
    return path.posix.join(path.posix.dirname(from), specifier).replace(/\.tsx?$/, "");
  return /^@reprise\/(.+)$/.exec(specifier)?.[1] ?? null;
}

function relative(from: string, target: string): string {
  const way = path.posix.relative(path.posix.dirname(from), target);
  return `${way.startsWith(".") ? way : `./${way}`}.js`;
}
