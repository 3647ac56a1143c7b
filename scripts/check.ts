/** `npm run check`: types, lint and format, unused code, imports, generated pages and texts; reports every failure. */

import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { boundaryProblems } from "./boundaries.ts";
import { nameProblems } from "./exported-names.ts";
import { root } from "./files.ts";
import { orderProblems } from "./folder-order.ts";
import { surfaceProblems } from "./surfaces.ts";
import { textProblems } from "./texts.ts";

interface Check {
  readonly name: string;
  /** What is wrong, as text; empty when nothing is. */
  readonly run: () => Promise<string>;
}

const checks: Check[] = [
  { name: "types", run: () => tool("tsc", "-p", ".") },
  { name: "types of core, without those of Node", run: () => tool("tsc", "-p", "packages/core") },
  {
    name: "types of workflow, without those of Node",
    run: () => tool("tsc", "-p", "packages/workflow"),
  },
  { name: "types of the page", run: () => tool("tsc", "-p", "packages/web") },
  { name: "types of the page's tests", run: () => tool("tsc", "-p", "test/page") },
  {
    name: "lint and format",
    run: () => tool("biome", "check", "--error-on-warnings", "--diagnostic-level=warn"),
  },
  { name: "unused code", run: () => tool("knip") },
  { name: "import boundaries", run: async () => boundaryProblems().join("\n") },
  { name: "package surfaces", run: async () => surfaceProblems().join("\n") },
  { name: "folder order", run: async () => orderProblems().join("\n") },
  { name: "exported names", run: async () => nameProblems().join("\n") },
  { name: "reference", run: async () => (await import("./reference.ts")).referenceProblems() },
  {
    name: "published package",
    run: async () => (await import("./published.ts")).publishedProblems(),
  },
  { name: "texts", run: async () => textProblems().join("\n") },
];

/** Runs every check and answers with the names of those that failed. */
export async function check(): Promise<string[]> {
  const failed: string[] = [];
  await Promise.all(
    checks.map(async ({ name, run }) => {
      const began = performance.now();
      const problems = await run().catch((error: Error) => error.stack ?? error.message);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.log(`${problems === "" ? "ok  " : "FAIL"} ${name} (${seconds} s)`);
      if (problems === "") return;
      console.log(problems);
      failed.push(name);
    }),
  );
  return failed;
}

/** Runs a tool of node_modules; its output counts only when it fails. */
async function tool(command: string, ...args: string[]): Promise<string> {
  const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  const code = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  const [stdout, stderr, status] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    code,
  ]);
  if (status === 0) return "";
  return `${stdout}${stderr}`.trimEnd() || `${command} ended with exit code ${status}`;
}

if (import.meta.main) process.exitCode = (await check()).length === 0 ? 0 : 1;
