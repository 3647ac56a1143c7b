/** The examples that are programs, run as they are written. */

import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { installPinned } from "../../scripts/pinned-folder.ts";
import { serve, token } from "../surfaces/served.ts";
import { temporaryFolder } from "../temporary-folder.ts";

const examples = fileURLToPath(new URL("../../examples", import.meta.url));
const packages = fileURLToPath(new URL("packages.ts", import.meta.url));
let folder: string;

beforeEach(() => {
  folder = temporaryFolder("examples");
});
afterEach(() => rmSync(folder, { recursive: true }));

async function run(file: string, args: string[], env: Record<string, string>): Promise<string[]> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--import", packages, join(examples, file), ...args],
    { cwd: folder, env: { ...process.env, ...env } },
  );
  return stdout.trim().split("\n");
}

test("X3: langgraph: the agent's session continues after a graph was interrupted, and at the next start", async (context) => {
  const problem = await installPinned(join(examples, "langgraph"));
  if (problem !== null) context.skip(`LangGraph.js cannot be installed: ${problem}`);
  const start = () => run("langgraph/review.ts", [], { REPRISE_HOME: join(folder, "home") });
  expect(await start()).toEqual(["Version 2.0 reads YAML. JSON still works.", "blank, resume"]);
  expect((await start()).at(-1)).toBe("resume, resume");
});

test("client: a session of a server is continued and followed", async () => {
  const server = await serve({ home: join(folder, "home"), cwd: folder });
  try {
    const settings = { home: join(folder, "agent") };
    await server.reprise.agents.create({ name: "coder", provider: "scripted", settings });
    const env = { REPRISE_URL: server.url, REPRISE_TOKEN: token };
    const first = ["fix-42", "remember PLUM-1", "--agent", "coder"];
    expect((await run("client/follow.ts", first, env))[0]).toMatch(/^blank: /);
    const lines = await run("client/follow.ts", ["fix-42", "what did I ask you to remember?"], env);
    expect(lines).toEqual([expect.stringMatching(/^resume: /), "PLUM-1"]);
  } finally {
    await server.close();
  }
});
