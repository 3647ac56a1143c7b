import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";
import { runProgram } from "../program.ts";
import { testSurroundings } from "../test-surroundings.ts";

const good = `name: Review
steps:
  build: { shell: make }
  coder:
    needs: build
    runner: scripted
    prompt: Look at {{ build.output }}.
`;
const bad = `name: Bad
steps:
  a:
    runner: scripted
    prompt: Look at {{ biuld.output }}.
  build: { shell: make }
`;
const old = `version: 2
metadata: { name: Old }
nodes:
  - id: a # the only one
    type: agent
    data:
      runner: scripted
      session_type: temporary
      prompt: Do it.
`;

function files(given: Record<string, string> = {}) {
  const folder = temporaryFolder("workflow");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(given)) writeFileSync(join(folder, name), text);
  const run = async (argv: string[], stdin?: string) => {
    const surroundings = testSurroundings({
      cwd: folder,
      env: { HOME: folder, REPRISE_HOME: join(folder, "home") },
      ...(stdin !== undefined && { stdin }),
    });
    const code = await runProgram(["workflow", ...argv], surroundings);
    return { code, stdout: surroundings.stdoutText(), stderr: surroundings.stderrText() };
  };
  return { folder, run, read: (name: string) => readFileSync(join(folder, name), "utf8") };
}

test("validate: a valid file", async () => {
  const { run } = files({ "good.yaml": good });
  expect(await run(["validate", "good.yaml"])).toEqual({
    code: 0,
    stdout: "good.yaml: ok, 2 nodes, 2 edges\n",
    stderr: "",
  });
});

test("validate: errors, with their places and what to do", async () => {
  const { run } = files({ "good.yaml": good, "bad.yaml": bad });
  const { code, stdout } = await run(["validate", "good.yaml", "bad.yaml"]);
  expect(code).toBe(2);
  const lines = stdout.split("\n");
  expect(lines[0]).toBe("good.yaml: ok, 2 nodes, 2 edges");
  expect(lines[1]).toMatch(/^bad\.yaml:5:\d+: error [a-z-]+: .*biuld.* Did you mean .*build.*\?$/);
  expect(lines[2]).toBe("bad.yaml: 1 error");
});

test("validate: a warning is an error with --strict", async () => {
  const { run } = files({ "old.yaml": old });
  const lax = await run(["validate", "old.yaml"]);
  expect(lax.code).toBe(0);
  expect(lax.stdout).toContain("old.yaml:5:11: warning implied-node-type: ");
  expect(lax.stdout).toContain("old.yaml: ok, 1 node, 0 edges, 2 warnings\n");
  const strict = await run(["validate", "old.yaml", "--strict"]);
  expect(strict.code).toBe(2);
  expect(strict.stdout).toContain("old.yaml:5:11: error implied-node-type: ");
  expect(strict.stdout).toContain("old.yaml: 2 errors\n");
});

test("validate: as a document", async () => {
  const { run } = files({ "bad.yaml": bad });
  const { code, stdout } = await run(["validate", "bad.yaml", "--json"]);
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toEqual({
    files: [
      {
        file: "bad.yaml",
        ok: false,
        nodes: 0,
        edges: 0,
        findings: [
          {
            severity: "error",
            code: expect.any(String),
            message: expect.any(String),
            hint: expect.any(String),
            position: { line: 5, column: expect.any(Number) },
            node: "a",
            port: null,
          },
        ],
      },
    ],
  });
});

test.each([
  ["YAML that is none", "nodes: [a", /:1:\d+: error bad-yaml: /],
  ["an empty file", "", /: error empty-file: /],
  ["a list", "- a\n", /:1:1: error not-a-mapping: /],
])("validate: %s", async (_, text, line) => {
  const { run } = files();
  const { code, stdout } = await run(["validate", "-"], text);
  expect(code).toBe(2);
  expect(stdout).toMatch(line);
});

test.each(["validate", "graph", "fmt", "migrate"])(
  "%s: a file that is not there, and a folder",
  async (command) => {
    const { run, folder } = files({ "good.yaml": good });
    mkdirSync(join(folder, "sub"));
    const absent = await run([command, "absent.yaml"]);
    expect(absent).toMatchObject({ code: 4, stdout: "" });
    expect(absent.stderr).toMatch(/^reprise: .*absent\.yaml does not exist\. .*\n$/);
    expect(await run([command, "sub"])).toMatchObject({ code: 2, stdout: "" });
  },
);

test("graph: as text, for Mermaid, for Graphviz, and as a document", async () => {
  const { run } = files({ "good.yaml": good });
  expect(await run(["graph", "good.yaml"])).toEqual({
    code: 0,
    stdout: "Review\n├─ build  shell\n└─ coder  agent, scripted  ← build, build.output\n",
    stderr: "",
  });
  expect((await run(["graph", "-", "--format", "mermaid"], good)).stdout).toMatch(
    /^flowchart TD\n/,
  );
  expect((await run(["graph", "good.yaml", "--format", "dot"])).stdout).toMatch(/^digraph /);
  expect(JSON.parse((await run(["graph", "good.yaml", "--json"])).stdout)).toMatchObject({
    name: "Review",
    nodes: [{ id: "build" }, { id: "coder" }],
  });
});

test("graph: a file with errors is not drawn", async () => {
  const { run } = files({ "bad.yaml": bad });
  const { code, stdout, stderr } = await run(["graph", "bad.yaml"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toMatch(/^bad\.yaml:5:\d+: error /);
});

const untidy = `steps:
    a: {shell: make} # first
name: Untidy
`;
const tidy = `name: Untidy
steps:
  a: { shell: make } # first
`;

test("fmt: writes the file in place, with its permissions, through a link", async () => {
  const { run, read, folder } = files({ "untidy.yaml": untidy });
  chmodSync(join(folder, "untidy.yaml"), 0o640);
  symlinkSync("untidy.yaml", join(folder, "link.yaml"));
  expect(await run(["fmt", "link.yaml"])).toEqual({
    code: 0,
    stdout: "Formatted link.yaml.\n",
    stderr: "",
  });
  expect(read("untidy.yaml")).toBe(tidy);
  expect(statSync(join(folder, "untidy.yaml")).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder).sort()).toEqual(["link.yaml", "untidy.yaml"]);
  expect((await run(["fmt", "untidy.yaml"])).stdout).toBe("untidy.yaml is already formatted.\n");
});

test("fmt --check changes nothing, and says so with exit 1", async () => {
  const { run, read } = files({ "untidy.yaml": untidy, "tidy.yaml": tidy });
  expect(await run(["fmt", "tidy.yaml", "untidy.yaml", "--check"])).toEqual({
    code: 1,
    stdout: "untidy.yaml is not formatted.\n",
    stderr: "",
  });
  expect(read("untidy.yaml")).toBe(untidy);
  expect(await run(["fmt", "tidy.yaml", "--check"])).toEqual({ code: 0, stdout: "", stderr: "" });
  expect((await run(["fmt", "-", "--check"], untidy)).code).toBe(1);
});

test("fmt: from standard input, or to standard output", async () => {
  const { run, read } = files({ "untidy.yaml": untidy });
  expect(await run(["fmt", "-"], untidy)).toEqual({ code: 0, stdout: tidy, stderr: "" });
  expect((await run(["fmt", "untidy.yaml", "--stdout"])).stdout).toBe(tidy);
  expect(read("untidy.yaml")).toBe(untidy);
  const broken = await run(["fmt", "-"], "a: [");
  expect(broken).toMatchObject({ code: 2, stdout: "" });
  expect(broken.stderr).toMatch(/^-:1:\d+: error bad-yaml: /);
});

test("migrate: shows what changes, and writes it", async () => {
  const { run, read } = files({ "old.yaml": old });
  const shown = `node a
  - session_type: temporary
  + mode: ephemeral
  + nodeType: agent
`;
  expect(await run(["migrate", "old.yaml", "--dry-run"])).toEqual({
    code: 0,
    stdout: `${shown}old.yaml: 2 changes.\n`,
    stderr: "",
  });
  expect(read("old.yaml")).toBe(old);
  expect((await run(["migrate", "old.yaml"])).stdout).toBe(
    `${shown}Wrote old.yaml with 2 changes.\n`,
  );
  expect(read("old.yaml")).toContain("      mode: ephemeral\n");
  expect(read("old.yaml")).toContain("- id: a # the only one\n");
  expect((await run(["migrate", "old.yaml"])).stdout).toBe("old.yaml is up to date.\n");
  expect((await run(["validate", "old.yaml", "--strict"])).code).toBe(0);
});

test("migrate: from standard input to standard output", async () => {
  const { run } = files();
  const { stdout, stderr } = await run(["migrate", "-"], old);
  expect(stdout).toContain("mode: ephemeral");
  expect(stdout).not.toContain("node a");
  expect(stderr).toContain("+ mode: ephemeral");
});

test("migrate: as a document, and a file with errors", async () => {
  const { run, read } = files({ "old.yaml": old, "bad.yaml": bad });
  expect(JSON.parse((await run(["migrate", "old.yaml", "--dry-run", "--json"])).stdout)).toEqual({
    file: "old.yaml",
    changes: [
      { place: "node a", before: "session_type: temporary", after: "mode: ephemeral" },
      { place: "node a", before: null, after: "nodeType: agent" },
    ],
    written: false,
  });
  expect((await run(["migrate", "bad.yaml"])).code).toBe(2);
  expect(read("bad.yaml")).toBe(bad);
});

test("a read-only file stays unchanged", async (context) => {
  if (process.getuid?.() === 0) context.skip("the superuser may write everything");
  const { run, read, folder } = files({ "untidy.yaml": untidy });
  chmodSync(join(folder, "untidy.yaml"), 0o444);
  expect((await run(["fmt", "untidy.yaml"])).code).toBe(5);
  expect(read("untidy.yaml")).toBe(untidy);
});

test("schema: a JSON Schema", async () => {
  const { run } = files();
  const { code, stdout } = await run(["schema"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ title: "Reprise workflow" });
});
