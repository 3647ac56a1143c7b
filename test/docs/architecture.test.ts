/** The files that docs/architecture.md lists for a send and for a run are those that run, and a send runs few. */

import { execFileSync } from "node:child_process";
import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { root } from "./shown-commands.ts";

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

const page = readFileSync(join(root, "docs/architecture.md"), "utf8");

function listed(title: string): string[] {
  const section = page.split(`### ${title}\n`)[1]!.split(/^##/m)[0]!;
  return [...section.matchAll(/`([a-z]+\/src\/[^`]+\.ts)`/g)].map(([, file]) => file!);
}

/**
 * Runs the commands in a home of their own; gives the files below packages/ with a function that the last one called.
 * The processes of the scripted agent do not count.
 */
function filesOf(...commands: readonly (readonly string[])[]): Set<string> {
  const folder = temporaryFolder("files");
  try {
    const start = join(folder, "start.mjs");
    const main = JSON.stringify(join(root, "packages/reprise/src/cli/main.ts"));
    writeFileSync(
      start,
      `import { main } from ${main};\nprocess.exitCode = await main(process.argv.slice(2));\n`,
    );
    const env = { ...process.env, HOME: folder, REPRISE_HOME: join(folder, "home") };
    for (const [index, args] of commands.entries()) {
      const last = index === commands.length - 1;
      const coverage = {
        NODE_V8_COVERAGE: join(folder, "coverage"),
        NODE_DISABLE_COMPILE_CACHE: "1",
      };
      execFileSync(process.execPath, [start, ...args], {
        cwd: root,
        env: last ? { ...env, ...coverage } : env,
        stdio: "pipe",
      });
    }
    return new Set(
      globSync("coverage/*.json", { cwd: folder })
        .map((file) => called(JSON.parse(readFileSync(join(folder, file), "utf8"))))
        .filter((files) => !files.includes("providers/src/scripted/agent.ts"))
        .flat(),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function called({ result }: Coverage): string[] {
  return result
    .filter(({ functions }) =>
      functions.some(({ functionName, ranges }) => functionName !== "" && ranges[0]!.count > 0),
    )
    .map(({ url }) => url.split("/packages/")[1] ?? "");
}

test("a resumed send passes through the files that are listed", () => {
  const ran = filesOf(
    ["agent", "create", "coder", "--provider", "scripted"],
    ["send", "fix-42", "remember APPLE-739", "--agent", "coder"],
    ["send", "fix-42", "what did I ask you to remember?"],
  );
  expect(listed("The files of a send").filter((file) => !ran.has(file))).toEqual([]);
  expect([...ran].filter((file) => file !== "").length).toBeLessThanOrEqual(70);
});

test("a run passes through the files that are listed", () => {
  const ran = filesOf(["run", "examples/review-loop.yaml"]);
  expect(listed("The files of a run").filter((file) => !ran.has(file))).toEqual([]);
});
