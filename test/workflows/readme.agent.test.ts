/** The first workflow of README.md as it is written there, with the real codex and the real claude. */

import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { RunDetail } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import { kinds, startOnPath } from "../conformance/on-path.ts";
import { onAgent } from "../conformance/real-subject.ts";
import { shownWorkflows } from "./files.ts";

onAgent("codex", "README", () =>
  onAgent("claude", "README", () => {
    test("S3: README's first workflow changes a file as it is written, and nothing is denied", async () => {
      await using coder = await startOnPath("codex");
      await using reviewer = await startOnPath("claude");
      const path = [coder.env.PATH, reviewer.env.PATH].join(delimiter);
      Object.assign(coder.env, { ...reviewer.env, ...coder.env, PATH: path });
      // As for any user: nothing says what agents may do.
      delete coder.env.REPRISE_MAX_ACCESS;
      cloneInto(coder.folder, coder.newFolder("remote"));
      const shown = shownWorkflows().find(({ text }) => text.startsWith("name: Fix with approval"));
      expect(shown?.place).toMatch(/^README\.md:/);
      const file = join(coder.root, "fix.yaml");
      writeFileSync(file, shown!.text);

      coder.answer([{ shell: "echo fixed > parser.txt" }, { text: "I fixed the parser." }]);
      reviewer.answer([kinds.claude.says({ approved: true, feedback: "It is right." })]);
      const input = ["--input", "task=The parser drops the last line."];
      const { code, result, stderr } = await coder.cli("run", file, ...input).ended;
      expect({ code, stderr }).toEqual({ code: 3, stderr: expect.not.stringContaining("denied") });
      expect(existsSync(join(coder.folder, "parser.txt"))).toBe(true);
      const { executions, waitsFor } = result as unknown as RunDetail;
      expect(executions.flatMap(({ denied }) => denied)).toEqual([]);
      const approved = await coder.cli("approve", waitsFor[0]!, "--by", "me").ended;
      expect({ code: approved.code, stderr: approved.stderr }).toMatchObject({ code: 0 });
    });
  }),
);

/** A clone that can be pushed. */
function cloneInto(folder: string, remote: string): void {
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, stdio: "pipe" });
  execFileSync("git", ["init", "--bare", "--initial-branch=main", remote], { stdio: "pipe" });
  git("init", "--initial-branch=main");
  git("-c", "user.name=me", "-c", "user.email=me@localhost", "commit", "--allow-empty", "-m", "a");
  git("remote", "add", "origin", remote);
  git("push", "--set-upstream", "origin", "main");
}
