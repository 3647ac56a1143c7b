/** The order of the folders inside a package: each imports only from those below it. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { repositoryFiles, root } from "./files.ts";
import { importsOf, isTest } from "./imports.ts";

/**
 * A folder, or a file beside the folders (`*` stands for the beginning of its name); `.` is the other files there.
 * The members of a list may import each other, those that are `apart` may not.
 */
type Level = string | readonly string[] | { readonly apart: readonly string[] };

/** From the lowest to the highest. Every package that has folders is here, and folders in it whose own parts have an order. */
const orders: Readonly<Record<string, readonly Level[]>> = {
  "packages/core/src": [
    "text",
    "errors",
    "usage",
    "conversation",
    "session",
    { apart: ["settings", "prompt", "backup"] },
    "api",
  ],
  "packages/workflow/src": [
    [
      "graph.ts",
      "template.ts",
      "finding.ts",
      "findings.ts",
      "format-version.ts",
      "budget-settings.ts",
      "runners.ts",
      "same-value.ts",
    ],
    "document",
    "document.ts",
    "run",
    "parse",
    "compile",
    { apart: ["check", "edit", "migration"] },
    ".",
  ],
  "packages/store/src": [
    "contract",
    ".",
    "verbs",
    { apart: ["sqlite", "postgres"] },
    "transfer",
    "suite",
  ],
  "packages/store/src/sqlite": [".", "migrations", "database", "open.ts"],
  "packages/store/src/postgres": [".", "migrations", ["database.ts", "open.ts", "schema-of.ts"]],
  "packages/store/src/verbs": [
    ".",
    "due",
    "events",
    { apart: ["access", "agents", "calls", "usage", "webhooks"] },
    ["checkpoints", "hosts", "inbox", "limits", "runs", "sessions", "turns"],
    "kept",
    "store.ts",
  ],
  "packages/providers/src": [
    ".",
    {
      apart: [
        "launch",
        "models",
        "acp",
        "claude",
        "codex",
        "gemini",
        "openai",
        "opencode",
        "pi",
        "scripted",
      ],
    },
    "registry.ts",
  ],
  "packages/engine/src": [
    "long-timer.ts",
    "thread",
    ".",
    "turn",
    "agents.ts",
    "session",
    "protect",
    "run",
    "inbox",
    { apart: ["backup", "migrate"] },
    "limits.ts",
    ["doctor.ts", "lost-spools.ts", "set-agent.ts", "usage.ts", "open-runs.ts", "runs.ts"],
    "open-reprise.ts",
  ],
  "packages/engine/src/run": ["work", "."],
  "packages/reprise/src": [
    ["http-fetch.ts", "utf8.ts", "workflow-file.ts"],
    "mcp",
    "server",
    "cli",
    "testing",
    ".",
  ],
  "packages/reprise/src/cli": [
    [".", "format", "input"],
    "completion",
    "commands",
    ["*-commands.ts", "program.ts", "main.ts"],
  ],
  "packages/reprise/src/server": [
    ".",
    "webhook",
    ["openapi.ts", "own-routes.ts", "app.ts", "background-loops.ts", "lifecycle.ts"],
  ],
  "packages/web/src": [
    ["text", "examples", "reprise.ts"],
    "live",
    "hooks",
    "parts",
    { apart: ["graph", "keys"] },
    "pages",
    ".",
  ],
  "packages/web/src/pages": [
    "welcome",
    "inbox",
    { apart: ["run", "runs", "session", "sessions"] },
    ".",
  ],
};

/** Imports that go up, and why they may. */
const exceptions: Readonly<Record<string, { readonly imports: string; readonly because: string }>> =
  {
    "packages/core/src/errors/hint.ts": {
      imports: "packages/core/src/api/verb-commands.ts",
      because: "a hint names a method of the public interface; only its types are imported",
    },
  };

const table = "scripts/folder-order.ts";

/** One sentence for every import that goes up, and for everything in the table that is missing or out of date. */
export function orderProblems(): string[] {
  const files = repositoryFiles().filter((file) => /^packages\/[^/]+\/src\/.*\.tsx?$/.test(file));
  return [...tableProblems(files), ...files.flatMap((file) => orderProblemsIn(file, read(file)))];
}

function read(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

export function orderProblemsIn(file: string, source: string): string[] {
  if (isHelper(file)) return [];
  return targetsOf(file, source).flatMap(({ target, line }) => {
    if (exceptions[file]?.imports === target) return [];
    return Object.entries(orders).flatMap(([folder, levels]) => {
      const problem = directionProblem(folder, levels, file, target);
      return problem === undefined ? [] : [`${file}:${line} ${problem}`];
    });
  });
}

/** The files of the same package that it imports. */
function targetsOf(file: string, source: string) {
  return importsOf(file, source)
    .filter(({ specifier }) => specifier.startsWith("."))
    .map(({ specifier, line }) => ({
      target: path.posix.join(path.posix.dirname(file), specifier),
      line,
    }));
}

/** Tests import from everywhere, and so does the sample data that only they use. */
function isHelper(file: string): boolean {
  return isTest(file) || /example\.ts$/.test(file);
}

function directionProblem(
  folder: string,
  levels: readonly Level[],
  file: string,
  target: string,
): string | undefined {
  const from = placeIn(folder, levels, file);
  const to = placeIn(folder, levels, target);
  if (from === undefined || to === undefined || from.entry === to.entry) return undefined;
  if (from.height > to.height) return undefined;
  const isSame = from.height === to.height;
  if (isSame && Array.isArray(levels[from.height])) return undefined;
  const how = isSame ? "apart from" : "above";
  return (
    `imports ${target}, but ${to.part} is ${how} ${from.part} in the order of ${folder}. ` +
    `Move what both need to a lower place, or change the order in ${table}.`
  );
}

interface PlaceInOrder {
  /** As the table names it: a folder, a file, a pattern, or `.`. */
  readonly entry: string;
  /** The folder or file itself. */
  readonly part: string;
  readonly height: number;
}

/** Undefined for a file outside of the folder, and for one in a folder that the order leaves out. */
function placeIn(folder: string, levels: readonly Level[], file: string): PlaceInOrder | undefined {
  if (!file.startsWith(`${folder}/`)) return undefined;
  const part = partIn(folder, file);
  const places = levels.flatMap((level, height) =>
    entriesAt(level).map((entry) => ({ entry, part, height })),
  );
  const isBeside = file === `${folder}/${part}`;
  return (
    places.find(({ entry }) => matches(part, entry)) ??
    (isBeside ? places.find(({ entry }) => entry === ".") : undefined)
  );
}

/** The file, or the folder that it is in, directly inside `folder`. */
function partIn(folder: string, file: string): string {
  return file.slice(folder.length + 1).split("/")[0] ?? "";
}

function matches(part: string, entry: string): boolean {
  return entry.startsWith("*") ? part.endsWith(entry.slice(1)) : part === entry;
}

function entriesAt(level: Level): readonly string[] {
  if (typeof level === "string") return [level];
  return "apart" in level ? level.apart : level;
}

export function tableProblems(files: readonly string[]): string[] {
  const withFolders = new Set(
    files.flatMap((file) => /^packages\/[^/]+\/src(?=\/[^/]+\/)/.exec(file)?.[0] ?? []),
  );
  return [
    ...[...withFolders]
      .filter((folder) => !(folder in orders))
      .map((folder) => `${table} has no order for ${folder}.`),
    ...Object.entries(orders).flatMap(([folder, levels]) => {
      const inside = files.filter((file) => file.startsWith(`${folder}/`));
      const parts = new Set(inside.map((file) => partIn(folder, file)));
      const left = inside.filter((file) => !isHelper(file) && !placeIn(folder, levels, file));
      const stale = levels
        .flatMap(entriesAt)
        .filter((entry) => entry !== "." && ![...parts].some((part) => matches(part, entry)));
      return [
        ...new Set(
          left.map((file) => `${table} has no place for ${folder}/${partIn(folder, file)}.`),
        ),
        ...stale.map((entry) => `${table} names ${folder}/${entry}, which does not exist.`),
      ];
    }),
    ...Object.entries(exceptions).flatMap(([file, { imports }]) =>
      files.includes(file) && targetsOf(file, read(file)).some(({ target }) => target === imports)
        ? []
        : [`${table} has an exception for ${file}, which does not import ${imports}.`],
    ),
  ];
}
