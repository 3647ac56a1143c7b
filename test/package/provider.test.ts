/** docs/writing-a-provider.md, followed word by word with the packed package in an empty folder. */

import { execFileSync, spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { root } from "../../scripts/files.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const tarball = inject("tarball");
const folder = temporaryFolder("provider");
const project = path.join(folder, "parrot");
const env = {
  PATH: [path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
  HOME: path.join(folder, "home"),
  REPRISE_HOME: path.join(folder, "reprise"),
  npm_config_offline: "true",
};
mkdirSync(project);
mkdirSync(env.HOME);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Block {
  readonly language: string;
  /** Null for commands. */
  readonly file: string | null;
  readonly text: string;
}

const guide = readFileSync(path.join(root, "docs/writing-a-provider.md"), "utf8");
const blocks: readonly Block[] = [...guide.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
  ([, language = "", file, text = ""]) => ({ language, file: file ?? null, text }),
);

/** What each line of a block of commands printed. */
const printed = new Map<string, string>();

function follow({ language, file, text }: Block): void {
  if (file !== null) {
    writeFileSync(path.join(project, file), text);
    return;
  }
  expect(language).toBe("sh");
  for (const line of text.trim().split("\n")) {
    const command = line.replace("npm install reprise", `npm install ${tarball}`);
    const { status, stdout, stderr } = spawnSync("sh", ["-ec", command], {
      cwd: project,
      env,
      encoding: "utf8",
    });
    printed.set(line, stdout);
    expect({ line, status, stderr: status === 0 ? "" : `${stdout}${stderr}` }).toEqual({
      line,
      status: 0,
      stderr: "",
    });
  }
}

const said = (start: string) =>
  [...printed].find(([line]) => line.startsWith(start))?.[1] ?? `nothing ran: ${start}`;

describe("X2: docs/writing-a-provider.md", () => {
  test("has the files of examples/provider", () => {
    const example = path.join(root, "examples/provider");
    for (const file of globSync("*", { cwd: example }).filter((name) => name !== "README.md"))
      expect(blocks.find((block) => block.file === file)?.text).toBe(
        readFileSync(path.join(example, file), "utf8"),
      );
  });

  describe("followed step by step", () => {
    beforeAll(() => {
      for (const block of blocks) follow(block);
    });

    test("the agent behaves as the page shows", () => {
      expect(said('echo "what did I ask')).toContain("APPLE-739");
      expect(said('echo "hello"')).toContain("exit code 3");
    });

    test("the provider passes the suite", () => {
      expect(said("node --test")).toMatch(/^ℹ pass 1[5-9]$/m);
      expect(said("node --test")).toContain("ℹ fail 0");
    });

    test("agents of it are created, and continue their sessions", () => {
      expect(said("npx reprise provider list")).toMatch(/^parrot +Parrot +parrot-cli, parrot/m);
      expect(said("npx reprise agent create")).toContain("Created agent polly (parrot");
      expect(said('npx reprise send trial "what')).toBe("APPLE-739\n");
      expect(said("npx reprise why")).toContain("resume");
    });

    test("a workflow runs it, and doctor and the matrix show it", () => {
      expect(said("npx reprise workflow validate")).toContain("hello.yaml: ok");
      expect(said("npx reprise run")).toContain("I heard: Hello!");
      expect(said("npx reprise doctor")).toMatch(/agent polly: parrot 1\.2\.0/);
      expect(said("npx reprise provider matrix")).toMatch(
        /\| \*\*scripted\*\* \| \*\*parrot\*\* \|/,
      );
    });

    test("a program passes it to openReprise", () => {
      expect(said("node program.js")).toContain("I heard: Hello!");
    });

    test("help, completion and the schema of workflows name it", () => {
      const reprise = (...args: string[]) =>
        execFileSync(path.join(project, "node_modules/.bin/reprise"), args, {
          cwd: project,
          env,
          encoding: "utf8",
        });
      expect(reprise("agent", "create", "--help")).toMatch(
        /acp, claude, codex,\s+gemini,\s+openai,\s+opencode,\s+pi,\s+scripted,\s+parrot/,
      );
      expect(reprise("__complete", "agent", "create", "a", "--provider", "pa")).toBe(
        "parrot\tParrot\n",
      );
      expect(reprise("workflow", "schema")).toContain('"parrot-cli"');
      expect(reprise("agent", "list")).toMatch(/polly +parrot/);
    });

    test("an error names the module and what to do", () => {
      writeFileSync(path.join(project, "broken.js"), "export default {};\n");
      const run = (...argv: string[]) =>
        spawnSync(path.join(project, "node_modules/.bin/reprise"), argv, {
          cwd: project,
          env: { ...env, REPRISE_PROVIDERS: path.join(project, "broken.js") },
          encoding: "utf8",
        });
      // Only what needs it fails.
      const listed = run("provider", "list");
      expect(listed.status).toBe(0);
      expect(listed.stderr).toContain("It is not a provider: it has no manifest.");
      const { status, stderr } = run("agent", "create", "broken", "--provider", "broken");
      expect(status).toBe(2);
      expect(stderr).toContain("It is not a provider: it has no manifest.");
    });
  });
});
