/** C15 with the files in `workflows/`, as they are, through the command line: one for each runner. */

import { mkdirSync, symlinkSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunDetail } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import type { Process, Subject, Witness } from "./subject.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A runner under test, ready for a file that says nothing of where its program and its home are. */
export interface Resumable extends AsyncDisposable {
  readonly subject: Subject;
  readonly witness: Witness;
  /** Whether the reviewer approves, in each of the iterations that come next. */
  review(verdicts: readonly boolean[]): void;
}

export function resumable(provider: string, runner: string, start: () => Promise<Resumable>): void {
  test(`C15/${provider}: workflows/test-resumable-${runner}.yaml: the coder keeps its session over the iterations, and a restarted loop gets a new one`, async () => {
    await using started = await start();
    const { subject, witness } = started;
    const file = join(root, "workflows", `test-resumable-${runner}.yaml`);
    const once = async (...args: string[]) => {
      const before = [witness.launches().length, witness.calls().length];
      const { code, result, stderr } = await cli(subject, ...args).ended;
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const launches = witness.launches().slice(before[0]);
      const calls = witness.calls().slice(before[1]);
      return { run: result as unknown as RunDetail, launches, calls };
    };
    started.review([false, true]);
    const task = ["--input", "task=Write a poem.", "--folder", root];
    const begun = await once("run", file, "--id", "r1", ...task);
    expect(begun.run).toMatchObject({
      status: "done",
      outputs: { session: "wf:r1:agent:coder" },
    });
    // The coder and the reviewer by turns; who goes on is told by the program and by the model's log.
    const [first, judge, again, judged] = begun.calls;
    const session = first!.session;
    expect(begun.launches.map(({ resumed }) => resumed)).toEqual([null, null, session, null]);
    expect(again).toMatchObject({ session, earlier: 2 });
    expect(again!.prompt).toContain("Do it once more.");
    expect(again!.prompt).not.toContain("Write a poem.");
    expect(new Set(begun.calls.map((call) => call.session)).size).toBe(3);
    expect([judge!.earlier, judged!.earlier]).toEqual([0, 0]);

    started.review([true]);
    const restarted = await once("rerun", "r1", "--from", "rounds");
    expect(restarted.run).toMatchObject({
      status: "done",
      outputs: { session: "wf:r1:agent:coder:2" },
    });
    expect(restarted.launches[0]).toMatchObject({ resumed: null });
    expect(restarted.calls[0]!.prompt).toContain("Write a poem.");
    expect(begun.calls.map((call) => call.session)).not.toContain(restarted.calls[0]!.session);
  });
}

function cli(subject: Subject, ...args: string[]): Process {
  return subject.cli(...args, "--quiet");
}

/** The program where a shell would find it, and its home where the program itself would. */
export function onPath(
  subject: Subject,
  { name, program, env }: { name: string; program: string; env: Record<string, string> },
): void {
  const bin = join(subject.root, "bin");
  mkdirSync(bin);
  symlinkSync(program, join(bin, name));
  Object.assign(subject.env, { PATH: `${bin}${delimiter}${subject.env.PATH}`, ...env });
}
