/** The name check: one exported name means one thing in the repository. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { parseSync } from "rolldown/utils";
import { repositoryFiles, root } from "./files.ts";

/** A declaration that a file exports; what it only re-exports is declared elsewhere. */
export interface ExportedName {
  readonly name: string;
  readonly kind: "type" | "value";
  readonly file: string;
}

/**
 * Types, classes and components are names of things: each is declared once in the repository. Functions
 * and constants are declared once per part, because the parts that fulfil one contract (the providers,
 * the commands, the engine and its store) use the same verbs.
 */
export function nameProblems(names: readonly ExportedName[] = exportedNames()): string[] {
  const things = names.filter(({ name, kind }) => kind === "type" || /^[A-Z]/.test(name));
  const verbs = names.filter((each) => !things.includes(each));
  return [
    ...repeated(things, ({ name }) => name),
    ...repeated(verbs, ({ name, file }) => `${partOf(file)} ${name}`),
  ];
}

function repeated(names: readonly ExportedName[], scope: (name: ExportedName) => string): string[] {
  return [...Map.groupBy(names, scope).values()].flatMap((same) => {
    const files = [...new Set(same.map(({ file }) => file))];
    return files.length === 1
      ? []
      : [`${same[0]!.name} is exported by ${files.join(" and ")}; give each a name of its own.`];
  });
}

/** The part of the repository in which a function's name is used once. */
function partOf(file: string): string {
  const folder = path.dirname(file);
  if (/^packages\/reprise\/src\/cli\/commands\b|^test\b/.test(folder)) return file;
  return (
    /^packages\/(?:providers|reprise|store)\/src\/[^/]+/.exec(folder)?.[0] ??
    folder.split("/").slice(0, 2).join("/")
  );
}

function exportedNames(): ExportedName[] {
  return repositoryFiles()
    .filter((file) => /^(?:packages|scripts|test)\/.*(?<!\.d)\.tsx?$/.test(file))
    .flatMap((file) => namesIn(file, readFileSync(path.join(root, file), "utf8")));
}

export function namesIn(file: string, source: string): ExportedName[] {
  return parseSync(file, source).program.body.flatMap((statement) => {
    if (statement.type !== "ExportNamedDeclaration" || statement.declaration === null) return [];
    const { declaration } = statement;
    if (declaration.type === "VariableDeclaration") {
      return declaration.declarations.flatMap(({ id }) =>
        id.type === "Identifier" ? [{ name: id.name, kind: "value" as const, file }] : [],
      );
    }
    if (!("id" in declaration) || declaration.id?.type !== "Identifier") return [];
    const kind = declaration.type === "FunctionDeclaration" ? "value" : "type";
    return [{ name: declaration.id.name, kind, file }];
  });
}
