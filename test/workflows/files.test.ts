/** Every workflow that the repository shows is one that it takes. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openReprise } from "@reprise/engine/open-reprise";
import { formatFile } from "@reprise/workflow/format-file";
import { load } from "@reprise/workflow/load";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { examples, read, root, shownWorkflows, testWorkflows } from "./files.ts";

const codes = (text: string) => load(text, { strict: true }).findings.map(({ code }) => code);

/** The one in the dialect of other programs' files: what it leaves open is settled by rules. */
const open = {
  "examples/docks.yaml": [
    ...["implied-node-type", "implied-node-type", "implied-session", "implied-node-type"],
    ...["implied-node-type", "implied-source-handle", "created-port", "task-for-iteration"],
    ...["added-feedback", "implied-target-handle", "inverted-continue"],
  ],
} as Readonly<Record<string, string[]>>;

test.each([...examples, ...testWorkflows])("%s loads, also strictly, and is laid out", (path) => {
  const text = read(path);
  expect(codes(text)).toEqual(open[path] ?? []);
  expect(load(text).graph).not.toBeNull();
  expect(formatFile(text)).toEqual({ text });
});

const shown = shownWorkflows();

test("pages show workflows", () => {
  expect(new Set(shown.map(({ place }) => place.split(":")[0]))).toEqual(
    new Set([
      "README.md",
      "docs/workflows.md",
      "packages/reprise/plugins/reprise/skills/workflows/SKILL.md",
    ]),
  );
});

test.each(shown)("$place has the findings that it says it has", ({ text, findings }) => {
  expect(codes(text)).toEqual(findings);
});

/** Programs that say who they are, so that a plan finds them on a machine without any. */
function programsIn(folder: string): string {
  const programs = join(folder, "programs");
  mkdirSync(programs);
  mkdirSync(join(folder, ".codex"));
  const put = (name: string, version: string) =>
    writeFileSync(join(programs, name), `#!/bin/sh\necho '${version}'\n`, { mode: 0o755 });
  put("claude", "2.1.0 (Claude Code)");
  put("codex", "codex-cli 0.130.0");
  return programs;
}

describe("with another runner, an example changes in one line", () => {
  test.each(
    examples.flatMap(
      (path) =>
        [
          [path, "claude-code"],
          [path, "codex"],
        ] as const,
    ),
  )("%s: %s", async (path, runner) => {
    const lines = read(path).split("\n");
    const line = lines.findIndex((each) => each.includes("# the one line to change"));
    expect(lines.filter((each) => /: (&\w+ )?scripted\b/.test(each))).toEqual([lines[line]]);
    const source = lines.with(line, lines[line]!.replace("scripted", runner)).join("\n");

    const home = temporaryFolder("examples");
    const env = { HOME: home, PATH: programsIn(home) };
    const reprise = await openReprise({ home, cwd: root, env });
    try {
      const plan = await reprise.runs.plan({ source, inputs: {} });
      const agents = plan.steps.filter(({ type }) => type === "agent");
      expect(agents.length).toBeGreaterThan(1);
      const provider = runner === "codex" ? "codex" : "claude";
      for (const { about } of agents) expect(about).toContain(provider);
    } finally {
      await reprise.close();
      rmSync(home, { recursive: true });
    }
  });
});

test("examples/README.md names every example, and how it is run", () => {
  const page = read("examples/README.md");
  for (const path of examples) expect(page).toContain(`reprise run ${path}`);
});
