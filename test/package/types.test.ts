/** The types of the published package, as a strict program outside of this repository sees them. */

import { spawnSync } from "node:child_process";
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, inject, test } from "vitest";
import { root } from "../../scripts/files.ts";
import { install } from "./installed.ts";

const { folder, project } = install(inject("tarball"));
const types = join(project, "node_modules/reprise/dist/types");
const { exports } = JSON.parse(
  readFileSync(join(project, "node_modules/reprise/package.json"), "utf8"),
);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const strict = {
  target: "es2024",
  module: "nodenext",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  isolatedModules: true,
  skipLibCheck: false,
  noEmit: true,
};

/** What the compiler says about a program; empty when nothing is wrong. */
function compile(text: string, options: object = {}): string {
  const use = Object.keys(exports).map(
    (entry, index) => `import type * as entry${index} from "${entry.replace(".", "reprise")}";`,
  );
  const kept = use.map((_, index) => `keyof typeof entry${index}`).join(" | ");
  writeFileSync(
    join(project, "program.mts"),
    `${use.join("\n")}\nexport type Kept = ${kept};\n${text}`,
  );
  const compilerOptions = { ...strict, types: ["node"], ...options };
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions, files: ["program.mts"] }),
  );
  const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), ["-p", project], {
    encoding: "utf8",
  });
  return stdout.trim();
}

cpSync(join(root, "node_modules/@types"), join(project, "node_modules/@types"), {
  recursive: true,
  dereference: true,
});
cpSync(join(root, "node_modules/undici-types"), join(project, "node_modules/undici-types"), {
  recursive: true,
});

const program = `
import { openReprise, QuotaError, type Reprise, RepriseError, type TurnResult } from "reprise";
import { connect } from "reprise/client";
import { defineProvider, type Provider } from "reprise/provider";
import { providerSuite, type Store, type StoreTestRunner, storeSuite } from "reprise/testing";

export const define: (...args: Parameters<typeof defineProvider>) => Provider = defineProvider;
export const cases = (provider: Provider) => providerSuite({ provider }).map(({ name }) => name);
export const testStore = (runner: StoreTestRunner, store: Store) =>
  storeSuite({ name: "mine", open: async () => ({ store, reopen: async () => store, cleanup: () => store.close() }), runner });

async function work(reprise: Reprise): Promise<TurnResult> {
  const turn = reprise.session("fix-42", { agent: "coder" }).send("Fix the parser.");
  for await (const step of turn) if (step.type === "decided") console.log(step.decision.outcome);
  const { items = [] } = { items: await reprise.inbox.list({ limit: 10 }) };
  for (const { id, choices } of items)
    await reprise.inbox.answer({ item: id, choice: choices[0], by: "ann" }, { continue: false });
  return turn;
}

for (const open of [() => openReprise({ home: "x" }), () => connect("http://localhost", { token: "t" })]) {
  try {
    const { turn, output } = await work(await open());
    const status: "queued" | "running" | "waiting" | string = turn.status;
    console.log(status, output?.toUpperCase());
  } catch (error) {
    if (error instanceof QuotaError) console.log(error.resetAt ?? "unknown");
    else if (error instanceof RepriseError) console.log(error.code, error.hint);
    else throw error;
  }
}
`;

test("X1: a strict program that uses every entry compiles", () => {
  expect(compile(program)).toBe("");
});

test("X1: so does one without the types of Node, against those of a browser", () => {
  const forBrowser = program
    .replaceAll(/.*(?:defineProvider|providerSuite|storeSuite|testStore).*/g, "")
    .replaceAll(/.*openReprise.*/g, (line) =>
      line.startsWith("import")
        ? 'import { QuotaError, type Reprise, RepriseError, type TurnResult } from "reprise/client";'
        : 'for (const open of [() => connect("http://localhost", { token: "t" })]) {',
    );
  writeFileSync(join(project, "browser.mts"), forBrowser);
  const compilerOptions = { ...strict, lib: ["es2024", "dom", "dom.asynciterable"], types: [] };
  writeFileSync(
    join(project, "tsconfig.browser.json"),
    JSON.stringify({ compilerOptions, files: ["browser.mts"] }),
  );
  const args = ["-p", join(project, "tsconfig.browser.json")];
  const { stdout } = spawnSync(join(root, "node_modules/.bin/tsc"), args, { encoding: "utf8" });
  expect(stdout.trim()).toBe("");
});

test("X1: wrong calls do not compile", () => {
  const wrong: [call: string, message: RegExp][] = [
    [`await openReprise({ hom: "x" });`, /'hom' does not exist/],
    [`await reprise.sessions.send({ key: "k" });`, /'prompt' is missing/],
    [`await reprise.runs.list({ status: "ended" });`, /"ended"' is not assignable/],
    [`(await reprise.turns.why("k")).answer;`, /'answer' does not exist/],
    [`await reprise.sessions.remove("k");`, /'remove' does not exist/],
    [`await connect("http://localhost", { tokens: "x" });`, /'tokens' does not exist/],
    [
      `storeSuite({ name: "mine", open: async () => ({}), runner });`,
      /missing the following properties/,
    ],
    [`providerSuite({ providers: [] });`, /'providers' does not exist/],
  ];
  const lines = [
    `import { openReprise } from "reprise";`,
    `import { connect } from "reprise/client";`,
    `import { providerSuite, type StoreTestRunner, storeSuite } from "reprise/testing";`,
    "declare const runner: StoreTestRunner;",
    "const reprise = await openReprise();",
    ...wrong.map(([call]) => call),
  ];
  const errors = compile(lines.join("\n")).split(/\n(?=\S)/);
  expect(errors).toHaveLength(wrong.length);
  for (const [index, [, message]] of wrong.entries()) expect(errors[index]).toMatch(message);
});

test("X1: the examples in docs/library.md compile", () => {
  const page = readFileSync(join(root, "docs/library.md"), "utf8");
  const examples = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code]) => code!);
  expect(examples.length).toBeGreaterThan(45);
  const text = examples.map((example, index) => {
    const imports = example.match(/^import .*$/gm) ?? [];
    const names = imports.join().match(/(?<=\{).*?(?=\})/g) ?? [];
    const from = imports.map((line) => /"(.*)"/.exec(line)?.[1]);
    // Imports are only allowed at the top of a module.
    const taken = from.map((module, at) => `const {${names[at]}} = await import("${module}");`);
    const given = /^const reprise\b/m.test(example) ? "" : "reprise: Reprise";
    const body = example.replaceAll(/^import .*$/gm, "");
    return `export async function example${index}(${given}) {\n${taken.join("\n")}\n${body}\n}`;
  });
  expect(compile(`import type { Reprise } from "reprise";\n${text.join("\n")}`)).toBe("");
});

test("X1: the types name neither packages of the workspace nor packages that are not installed", () => {
  const files = globSync("**/*.d.ts", { cwd: types });
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const text = readFileSync(join(types, file), "utf8");
    expect(text, file).not.toMatch(/@reprise\/|from "zod"/);
  }
});
