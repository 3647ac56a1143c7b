/** docs/workflows.md, with the real codex and the real claude: its commands, and every workflow that it shows. */

import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { kinds, startOnPath } from "../conformance/on-path.ts";
import { onAgent } from "../conformance/real-subject.ts";
import { shownWorkflows } from "../workflows/files.ts";
import { runsAsShown } from "./page-shell.ts";

const subjects = new AsyncDisposableStack();
afterAll(() => subjects.disposeAsync());

const item = "reprise inbox --json | node -p 'JSON.parse(fs.readFileSync(0))[0].id'";
const shown = shownWorkflows().filter(({ place }) => place.startsWith("docs/workflows.md:"));

async function start() {
  const codex = subjects.use(await startOnPath("codex"));
  const claude = subjects.use(await startOnPath("claude"));
  for (const [index, { text }] of shown.entries())
    writeFileSync(join(codex.root, `${index}.yaml`), text);
  const env = {
    ...claude.env,
    ...codex.env,
    PATH: [codex.env.PATH, claude.env.PATH].join(delimiter),
    REPRISE_HOME: undefined,
    REPRISE_MAX_ACCESS: undefined,
    SHOWN: codex.root,
  };
  return { codex, claude, env };
}

/** The file of the shown workflow of that name, which must be there. */
function shownFile(name: string): string {
  const index = shown.findIndex(({ text }) => text.includes(`name: ${name}`));
  expect(index, name).not.toBe(-1);
  return `"$SHOWN/${index}.yaml"`;
}

onAgent("codex", "workflows.md", () =>
  onAgent("claude", "workflows.md", () => {
    runsAsShown("docs/workflows.md", async () => {
      const { codex, env } = await start();
      const approved = kinds.codex.says({ approved: true, feedback: "It is right." });
      const released = () =>
        `git init -q . && git -c user.name=me -c user.email=me@localhost commit -q --allow-empty -m one; ` +
        `reprise run ${shownFile("Release")}; [ $? = 3 ]`;
      return {
        env,
        values: { ITEM: item, FILE: 'echo "$CLONE/examples/review-loop.yaml"', RUN: "echo review" },
        before: {
          'reprise run fix.yaml --input task="The parser drops the last line." --dry-run': () =>
            `cp ${shownFile("Fix with approval")} fix.yaml && git init -q --bare -b main origin.git && git init -q -b main && ` +
            "git remote add origin origin.git && git -c user.name=me -c user.email=me@localhost commit -q --allow-empty -m one && " +
            "git push -q --set-upstream origin main",
          'reprise run fix.yaml --input task="The parser drops the last line."    # exit code 3: it waits for a person':
            () => {
              codex.answer([approved]);
              return "true";
            },
          "reprise inbox                       # everything that waits: gates of all runs, and questions of agents":
            released,
          'reprise reject ITEM --by ana --comment "Not before the audit."': released,
          "reprise answer ITEM rework --by ben --value version=1.4.0    # any choice by its name":
            released,
          "reprise run FILE --id fix           # until it finishes or needs human input": () =>
            'cp -r "$CLONE/examples" .',
          "reprise cancel RUN": () =>
            'reprise run "$CLONE/examples/weekend-approval.yaml" --id review; [ $? = 3 ]',
        },
      };
    });

    test("every workflow of docs/workflows.md runs to its end", { timeout: 900_000 }, async () => {
      const { codex, claude, env } = await start();
      Object.assign(codex.env, env, { PATH: env.PATH });
      project(codex.folder);
      const approved = { approved: true, feedback: "It is right." };
      const ends: Record<string, unknown> = {};
      for (const [index, { text }] of shown.entries()) {
        const name = /name: (\w[\w ]*\w)/.exec(text)![1]!;
        if (name === "Review in the long form") codex.answer([kinds.codex.says(approved)]);
        if (name === "Fix with approval") codex.answer([kinds.codex.says(approved)]);
        if (name === "Nested") claude.answer([kinds.claude.says(approved)]);
        const input = text.includes("task") ? ["--input", "task=Fix it."] : [];
        const { result } = await codex.cli("run", join(codex.root, `${index}.yaml`), ...input)
          .ended;
        ends[name] = (result as { status: string } | null)?.status;
      }
      expect(ends).toEqual({
        "Fix with approval": "waiting",
        Inputs: "done",
        "Review in the long form": "done",
        Branches: "done",
        Nested: "done",
        "Flat retry": "done",
        Release: "waiting",
      });
    });
  }),
);

/** A project whose tests pass, with something to commit. */
function project(folder: string): void {
  const scripts = { test: "exit 0", ship: "echo shipped" };
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts }));
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  writeFileSync(join(folder, "node_modules/.bin/tsc"), "#!/bin/sh\n", { mode: 0o755 });
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, stdio: "pipe" });
  git("init", "-q");
  git("config", "user.name", "me");
  git("config", "user.email", "me@localhost");
  git("add", "package.json");
  git("commit", "-q", "-m", "one");
  writeFileSync(join(folder, "package.json"), `${JSON.stringify({ scripts })}\n`);
}
