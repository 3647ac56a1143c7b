/** C15 with the files in `workflows/`, as they are, through the command line: one for each runner. */

import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { RunDetail } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import type { Process, Subject, Witness } from "./subject.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A runner under test, ready for a file that does not say where its program and its home are. */
export interface Resumable extends AsyncDisposable {
  readonly subject: Subject;
  readonly witness: Witness;
  /** Whether the reviewer approves, in each of the iterations that come next. */
  review(verdicts: readonly boolean[]): void;
}

export function resumable(provider: string, runner: string, start: () => Promise<Resumable>): void {
  const name = `workflows/test-resumable-${runner}.yaml`;
  const run = (started: Resumable) =>
    once(
      started,
      ...["run", join(root, name), "--id", "r1", "--folder", root],
      ...["--input", "task=Write a poem."],
    );

  test(`C15/${provider}: ${name}: the coder keeps its session over the iterations`, async () => {
    await using started = await start();
    started.review([false, true]);
    const { result, launches, calls } = await run(started);
    expect(result).toMatchObject({ status: "done", outputs: { session: "wf:r1:agent:coder" } });
    // Coder and reviewer take turns; the program and the model's log show which one continues.
    const [first, judge, again, judged] = calls;
    const session = first!.session;
    expect(launches.map(({ resumed }) => resumed)).toEqual([null, null, session, null]);
    expect(again).toMatchObject({ session, earlier: 2 });
    expect(again!.prompt).toContain("Do it once more.");
    expect(again!.prompt).not.toContain("Write a poem.");
    expect(new Set(calls.map((call) => call.session)).size).toBe(3);
    expect([judge!.earlier, judged!.earlier]).toEqual([0, 0]);
  });

  test(`C15/${provider}: ${name}: a restarted loop gets a new session`, async () => {
    await using started = await start();
    started.review([true]);
    const begun = await run(started);
    started.review([true]);
    const restarted = await once(started, "rerun", "r1", "--from", "rounds");
    expect(restarted.result).toMatchObject({
      status: "done",
      outputs: { session: "wf:r1:agent:coder:2" },
    });
    expect(restarted.launches[0]).toMatchObject({ resumed: null });
    expect(restarted.calls[0]!.prompt).toContain("Write a poem.");
    expect(begun.calls.map((call) => call.session)).not.toContain(restarted.calls[0]!.session);
  });
}

/** One command, and what the witness saw of it. */
async function once({ subject, witness }: Resumable, ...args: string[]) {
  const before = [witness.launches().length, witness.calls().length];
  const { code, result, stderr } = await cli(subject, ...args).ended;
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return {
    result: result as unknown as RunDetail,
    launches: witness.launches().slice(before[0]),
    calls: witness.calls().slice(before[1]),
  };
}

function cli(subject: Subject, ...args: string[]): Process {
  return subject.cli(...args, "--quiet");
}
