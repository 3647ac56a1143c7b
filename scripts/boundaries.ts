/** The import boundaries: a package imports what its package.json names, and `core` and `workflow` neither act nor ask the machine. */

import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { parseSync, Visitor } from "rolldown/utils";
import { repositoryFiles, root } from "./files.ts";

interface Import {
  readonly specifier: string;
  readonly line: number;
}

/** What a pure function must be given instead of asking for it. */
const impureGlobals = ["crypto", "performance", "process", "fetch", "setTimeout", "setInterval"];

/** Packages whose functions depend on their arguments alone. */
const pure = ["core", "workflow"];

/** Packages that import nothing of Node, and why. */
const withoutNode: Readonly<Record<string, string>> = {
  core: "core does no I/O",
  workflow: "workflows are read and checked in browsers as well",
  client: "the client runs in browsers as well",
};

/** One sentence for every import or call that crosses a boundary. */
export function boundaryProblems(): string[] {
  return repositoryFiles()
    .filter((file) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file))
    .flatMap((file) => boundaryProblemsIn(file, readFileSync(path.join(root, file), "utf8")));
}

export function boundaryProblemsIn(file: string, source: string): string[] {
  const { imports, impurities } = read(file, source);
  const [, folder = ""] = file.split("/");
  const isPure = pure.includes(folder) && !isTest(file);
  return [
    ...imports.flatMap(({ specifier, line }) => {
      const problem = importProblem(file, specifier);
      return problem ? [`${file}:${line} ${problem}`] : [];
    }),
    ...(isPure ? impurities : []).map(
      ({ name, line }) => `${file}:${line} ${folder} is pure: ${name} must come in as a value`,
    ),
  ];
}

function importProblem(file: string, specifier: string): string | undefined {
  const [, folder] = file.split("/");
  const home = `packages/${folder}`;
  if (specifier.startsWith(".")) {
    const target = path.posix.join(path.posix.dirname(file), specifier);
    const isInside = target.startsWith(`${home}/`) || (isTest(file) && target.startsWith("test/"));
    return isInside ? undefined : `leaves its package: ${specifier}`;
  }
  if (isBuiltin(specifier)) {
    const why = isTest(file) ? undefined : withoutNode[folder ?? ""];
    return why && `${why}: ${specifier}`;
  }
  const name = specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
  const allowed = [...dependencies(home), ...(isTest(file) ? dependencies(".") : [])];
  return allowed.includes(name) ? undefined : `${home}/package.json does not name ${name}`;
}

/** Tests beside the code, their helpers, and the suites that are shared between implementations. */
function isTest(file: string): boolean {
  return /\.test\.ts$|\/suite\/|\/test-[^/]+\.ts$/.test(file);
}

const named = new Map<string, string[]>();

function dependencies(folder: string): string[] {
  const known = named.get(folder);
  if (known) return known;
  const manifest = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8"));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  named.set(folder, names);
  return names;
}

function read(file: string, source: string) {
  const { program, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`);
  const imports: Import[] = [];
  const impurities: { name: string; line: number }[] = [];
  const lineOf = (node: { start: number }) => source.slice(0, node.start).split("\n").length;
  const imported = (node: { start: number; source: { value: string } | null }) => {
    if (node.source) imports.push({ specifier: node.source.value, line: lineOf(node) });
  };
  const impure = (name: string, node: { start: number }) => {
    impurities.push({ name, line: lineOf(node) });
  };
  new Visitor({
    ImportDeclaration: imported,
    ExportNamedDeclaration: imported,
    ExportAllDeclaration: imported,
    ImportExpression(node) {
      if (node.source.type !== "Literal") return impure("a computed import", node);
      imports.push({ specifier: String(node.source.value), line: lineOf(node) });
    },
    TSImportType(node) {
      imports.push({ specifier: node.source.value, line: lineOf(node) });
    },
    NewExpression(node) {
      const isNow = node.callee.type === "Identifier" && node.callee.name === "Date";
      if (isNow && node.arguments.length === 0) impure("new Date()", node);
    },
    CallExpression(node) {
      if (node.callee.type === "Identifier" && node.callee.name === "Date") impure("Date()", node);
    },
    MemberExpression(node) {
      const text = source.slice(node.start, node.end);
      if (/^(?:globalThis\.)?(?:Date\.now|Math\.random)$/.test(text)) impure(text, node);
      if (node.object.type !== "Identifier") return;
      if (impureGlobals.includes(node.object.name)) impure(node.object.name, node);
    },
  }).visit(program);
  return { imports, impurities };
}
