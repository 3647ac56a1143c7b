/** The import boundaries: a package imports what its package.json names, and `core` and `workflow` neither act nor ask the machine. */

import { readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import path from "node:path";
import { Visitor } from "rolldown/utils";
import { repositoryFiles, root } from "./files.ts";
import { importsOf, isTest, lineOf, parsed } from "./imports.ts";

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
  const [, folder = ""] = file.split("/");
  const isPure = pure.includes(folder) && !isTest(file);
  return [
    ...importsOf(file, source).flatMap(({ specifier, line }) => {
      const problem = importProblem(file, specifier);
      return problem ? [`${file}:${line} ${problem}`] : [];
    }),
    ...(isPure ? impuritiesOf(file, source) : []).map(
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

const named = new Map<string, string[]>();

function dependencies(folder: string): string[] {
  const known = named.get(folder);
  if (known) return known;
  const manifest = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8"));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  named.set(folder, names);
  return names;
}

function impuritiesOf(file: string, source: string) {
  const impurities: { readonly name: string; readonly line: number }[] = [];
  const impure = (name: string, node: { start: number }) => {
    impurities.push({ name, line: lineOf(source, node) });
  };
  new Visitor({
    ImportExpression(node) {
      if (node.source.type !== "Literal") impure("a computed import", node);
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
  }).visit(parsed(file, source));
  return impurities;
}
