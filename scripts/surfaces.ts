/**
 * The surface of each package: the field `exports` of its package.json names what others may import, and the field
 * `exportsForTests` those entries that only tests, benchmarks and scripts may.
 *
 * node scripts/surfaces.ts --write    adds what is imported, removes what is not, keeps patterns such as `./api/*`
 */

import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { repositoryFiles, root } from "./files.ts";
import { importsOf, isTest } from "./imports.ts";

export interface PackageSurface {
  /** `@reprise/core` */
  readonly name: string;
  /** `packages/core` */
  readonly folder: string;
  readonly exports: Readonly<Record<string, string>>;
  readonly exportsForTests: readonly string[];
}

/** One import of a module of another package. */
interface Use {
  readonly file: string;
  readonly line: number;
  readonly surface: PackageSurface;
  /** As `exports` would name it: `./session/decide`. */
  readonly module: string;
  readonly forTests: boolean;
}

const write = "node scripts/surfaces.ts --write";

/** One sentence for every import of something that is not exported, and for every export that is not imported. */
export function surfaceProblems(): string[] {
  const surfaces = readSurfaces();
  const uses = readUses(surfaces);
  const files = repositoryFiles();
  return [
    ...uses.flatMap((use) => useProblem(use) ?? []),
    ...surfaces.flatMap((surface) => [
      ...deadEntries(
        surface,
        uses.filter((use) => use.surface === surface),
      ),
      ...missingFiles(surface, files),
    ]),
  ];
}

export function surfaceProblemsIn(
  surfaces: readonly PackageSurface[],
  file: string,
  source: string,
): string[] {
  return usesIn(surfaces, file, source).flatMap((use) => useProblem(use) ?? []);
}

function useProblem({ file, line, surface, module, forTests }: Use): string | undefined {
  const what = `${file}:${line} imports ${surface.name}${module.slice(1)}`;
  const manifest = `${surface.folder}/package.json`;
  const entry = entryOf(surface, module);
  if (entry === undefined)
    return `${what}, which ${manifest} does not export. If others should use it, run: ${write}`;
  if (forTests || !surface.exportsForTests.includes(entry)) return undefined;
  return `${what}, which ${manifest} exports for tests only. If the product should use it, run: ${write}`;
}

/** The entry of `exports` by which Node finds the module: the same name, or else the longest pattern. */
function entryOf({ exports }: PackageSurface, module: string): string | undefined {
  if (Object.hasOwn(exports, module)) return module;
  return Object.keys(exports)
    .filter((entry) => entry.endsWith("/*") && module.startsWith(entry.slice(0, -1)))
    .sort((one, other) => other.length - one.length)[0];
}

export function deadEntries(
  surface: PackageSurface,
  uses: readonly Pick<Use, "module" | "forTests">[],
): string[] {
  const manifest = `${surface.folder}/package.json`;
  const users = Map.groupBy(uses, ({ module }) => entryOf(surface, module));
  return [
    ...Object.keys(surface.exports).flatMap((entry) => {
      const its = users.get(entry) ?? [];
      if (its.length === 0)
        return [`${manifest} exports "${entry}", but no other package imports it. Run: ${write}`];
      const isListed = surface.exportsForTests.includes(entry);
      return isListed || its.some(({ forTests }) => !forTests)
        ? []
        : [`${manifest} exports "${entry}", but only tests import it. Run: ${write}`];
    }),
    ...surface.exportsForTests
      .filter((entry) => !Object.hasOwn(surface.exports, entry))
      .map((entry) => `${manifest} has "${entry}" in exportsForTests but not in exports.`),
  ];
}

function missingFiles({ folder, exports }: PackageSurface, files: readonly string[]): string[] {
  return Object.entries(exports).flatMap(([entry, target]) => {
    const [before = "", after] = path.posix.join(folder, target).split("*");
    const exists = files.some((file) =>
      after === undefined ? file === before : file.startsWith(before) && file.endsWith(after),
    );
    return exists
      ? []
      : [`${folder}/package.json exports "${entry}", but ${target} does not exist.`];
  });
}

function readSurfaces(): PackageSurface[] {
  return repositoryFiles()
    .filter((file) => /^packages\/[^/]+\/package\.json$/.test(file))
    .flatMap((file) => {
      const manifest = JSON.parse(readFileSync(path.join(root, file), "utf8"));
      const { name, exports = {}, exportsForTests = [] } = manifest;
      if (!name.startsWith("@reprise/")) return [];
      return [{ name, folder: path.posix.dirname(file), exports, exportsForTests }];
    });
}

function readUses(surfaces: readonly PackageSurface[]): Use[] {
  return repositoryFiles()
    .filter((file) => /^(?:packages|test|bench|scripts|examples)\/.*\.tsx?$/.test(file))
    .flatMap((file) => usesIn(surfaces, file, readFileSync(path.join(root, file), "utf8")));
}

function usesIn(surfaces: readonly PackageSurface[], file: string, source: string): Use[] {
  const forTests = !file.startsWith("packages/") || isTest(file);
  return importsOf(file, source).flatMap(({ specifier, line }) =>
    surfaces
      .filter(({ name }) => specifier.startsWith(`${name}/`))
      .map((surface) => {
        const module = `.${specifier.slice(surface.name.length)}`;
        return { file, line, surface, module, forTests };
      }),
  );
}

/** The surface as it is used: patterns stay, and what they do not cover is named module by module. */
export function usedSurface(
  surface: PackageSurface,
  uses: readonly Pick<Use, "module" | "forTests">[],
): Pick<PackageSurface, "exports" | "exportsForTests"> {
  const patterns = Object.fromEntries(
    Object.entries(surface.exports).filter(([entry]) => entry.endsWith("/*")),
  );
  const modules = new Map<string, boolean>();
  for (const { module, forTests } of uses) {
    const entry = entryOf({ ...surface, exports: patterns }, module) ?? module;
    modules.set(entry, (modules.get(entry) ?? true) && forTests);
  }
  const entries = [...modules.keys()].sort();
  return {
    exports: Object.fromEntries(
      entries.map((entry) => [entry, patterns[entry] ?? `./src/${entry.slice(2)}.ts`]),
    ),
    exportsForTests: entries.filter((entry) => modules.get(entry)),
  };
}

function writeSurfaces(): void {
  const surfaces = readSurfaces();
  const uses = readUses(surfaces);
  for (const surface of surfaces) {
    const own = uses.filter((use) => use.surface === surface);
    if (own.length === 0) continue;
    const { exports, exportsForTests } = usedSurface(surface, own);
    const file = path.join(root, surface.folder, "package.json");
    const manifest = JSON.parse(readFileSync(file, "utf8"));
    const fields = Object.entries(manifest).flatMap(([field, value]) => {
      if (field === "exportsForTests") return [];
      if (field !== "exports") return [[field, value]];
      const forTests = exportsForTests.length === 0 ? [] : [["exportsForTests", exportsForTests]];
      return [["exports", exports], ...forTests];
    });
    writeFileSync(file, `${JSON.stringify(Object.fromEntries(fields), null, 2)}\n`);
  }
}

if (import.meta.main && process.argv.includes("--write")) writeSurfaces();
