/** C17 for every provider: a retry gate sends its target back to work, in its own session, with all findings. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunDetail } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { type ModelCall, type StartSubject, type Subject, secret } from "./subject.ts";
import { runner, steps, watch } from "./workflow.ts";

/** A shell that leaves a line under its own name each time; `script` sees how many there are as `$n`. */
const check = (name: string, script: string, needs: string | null = "coder") => ({
  ...(needs && { needs }),
  onError: "continue",
  shell: `echo x >> ${name}; n=$(($(wc -l < ${name}))); ${script}`,
});

/** How often a shell ran, by the lines that it wrote. */
export function ran({ folder }: Subject, name: string): number {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
}

export interface Checks {
  readonly review: string;
  readonly test: string;
  readonly lint?: string;
  readonly gate?: Readonly<Record<string, unknown>>;
}

/** `plan` comes before the coder and `lint` beside it: neither is downstream of it. */
export function pipeline(
  subject: Subject,
  { review, test: tests, lint = "true", gate }: Checks,
): string {
  return steps(
    {
      plan: check("plan", "echo planned", null),
      coder: { ...runner(subject), needs: "plan", prompt: `remember ${secret}` },
      review: check("review", review),
      test: check("test", tests),
      lint: check("lint", lint, "plan"),
      gate: {
        "retry-gate": {
          target: "coder",
          checks: ["review.success", "test.success", "lint.success"],
          feedback: ["review.output", "test.output", "lint.output"],
          max: 2,
          ...gate,
        },
      },
      after: { needs: "gate", shell: "echo x >> after" },
    },
    { outputs: { passed: "gate.passed", retries: "gate.retry_count" } },
  );
}

/** Fails with a finding until it has run this often. */
export const content = (times: number, finding: string) =>
  `[ $n -ge ${times} ] || { echo ${finding} $n; exit 1; }`;

/** Every call is in one provider session and has all earlier calls before it. */
export function expectOneSession(calls: readonly ModelCall[]): void {
  expect(new Set(calls.map(({ session }) => session)).size).toBe(1);
  expect(calls.map(({ earlier }) => earlier)).toEqual(calls.map((_, index) => 2 * index));
}

export function retryGate(provider: string, start: StartSubject): void {
  test(`C17/${provider}: failed checks send the target back in its session with all feedback, and only what is downstream runs again`, async () => {
    await using subject = await start();
    const source = pipeline(subject, {
      review: content(3, "UNCLEAR"),
      test: content(2, "BROKEN"),
    });
    const { result, calls } = await watch(subject, () => subject.reprise.runs.start({ source }));
    expect(result).toMatchObject({ status: "done", outputs: { passed: true, retries: 2 } });
    expect(calls).toHaveLength(3);
    expectOneSession(calls);
    const [first, second, third] = calls.map(({ prompt }) => prompt);
    expect(first).not.toMatch(/UNCLEAR|BROKEN/);
    expect(second).toMatch(/UNCLEAR 1.*BROKEN 1/s);
    // A check that passed sends no more feedback.
    expect(third).toMatch(/UNCLEAR 2/);
    expect(third).not.toMatch(/BROKEN/);
    const counts = ["plan", "lint", "review", "test", "after"].map((name) => ran(subject, name));
    expect(counts).toEqual([1, 1, 3, 3, 1]);
  });

  test(`C17/${provider}: killed in the middle of a retry, twice ⇒ it continues where it was, and nothing is asked twice`, async () => {
    await using subject = await start();
    // The first check waits, so that its process can be outlived.
    const source = pipeline(subject, {
      review: `until [ -e go ]; do sleep 0.02; done; ${content(2, "UNCLEAR")}`,
      test: content(2, "BROKEN"),
    });
    const first = subject.runCaller<RunDetail>("runs.start", { source, id: "retried" });
    await until(() => ["review", "test", "lint"].every((name) => ran(subject, name) === 1));
    first.child.kill("SIGKILL");
    expect((await first.ended).signal).toBe("SIGKILL");

    const hold = subject.hold();
    const second = subject.runCaller<RunDetail>("runs.continue", "retried");
    writeFileSync(join(subject.folder, "go"), "");
    await hold.reached();
    second.child.kill("SIGKILL");
    expect((await second.ended).signal).toBe("SIGKILL");
    hold.release();

    await subject.open();
    const run = await subject.reprise.runs.continue("retried");
    expect(run).toMatchObject({ status: "done", outputs: { passed: true, retries: 1 } });
    const calls = subject.witness.calls();
    expect(calls).toHaveLength(2);
    expectOneSession(calls);
    expect(calls[1]!.prompt).toMatch(/UNCLEAR 1.*BROKEN 1/s);
    const counts = ["plan", "lint", "review", "test", "after"].map((name) => ran(subject, name));
    expect(counts).toEqual([1, 1, 2, 2, 1]);
  });
}
