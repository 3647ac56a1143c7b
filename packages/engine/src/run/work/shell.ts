/**
 * A shell node: runs its script as a process with a spool, like an agent. So it is started at most once, it
 * survives Reprise, and the next owner of the run takes its result.
 */

import { hash } from "node:crypto";
import { TerminalError, TimedOutError, UsageError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import { redact } from "@reprise/core/session/redact";
import type { Exit } from "@reprise/providers/provider";
import type { ShellWork } from "@reprise/workflow/run/command";
import { recordingFailure } from "../../hosts.ts";
import { startTimer } from "../../long-timer.ts";
import { workFolder } from "../../turn/observe.ts";
import { declaredOutputs } from "./declared-outputs.ts";
import { cancelled, failed } from "./failed.ts";
import { takeScriptSlot } from "./script-slot.ts";
import type { FailureKind, WorkContext, WorkEnd } from "./work.ts";

/** The longest argument or environment value that Linux accepts. */
const maxArgument = 128 * 1024 - 64;
const maxOutput = 8 * 1024 * 1024;

/** Environment variables that a script inherits, besides those of its node. */
const passedOn = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TMPDIR", "TZ"];

interface Ran {
  readonly exit: Exit;
  readonly stdout: string;
  readonly tooMuch: boolean;
  readonly timedOut: boolean;
}

export async function runShell(context: WorkContext, work: ShellWork): Promise<WorkEnd> {
  const { engine, signal, leave } = context;
  const spool = { turn: spoolOf(context), attempt: 1 };
  const settled = () => engine.launcher.remove(spool.turn);
  try {
    const begun = await begin(context, work, spool);
    if (begun === "cancelled") return cancelled();
    if (begun === "lost") return { ...interrupted(), settled } as WorkEnd;
    const ran = await follow(context, work, spool);
    if (signal.aborted) return { ...cancelled(), settled } as WorkEnd;
    // If this process started it and it died, that is a failure of the script, not an interruption.
    const kind = begun === "here" ? "terminal" : "interrupted";
    return { ...endOf(work, ran, kind), settled } as WorkEnd;
  } catch (error) {
    if (leave.aborted) return { type: "left" };
    // A full disk is not a failure of the script: the run continues when there is space.
    const failure = recordingFailure(error);
    if (failure) throw failure;
    return { ...failed(error), settled } as WorkEnd;
  } finally {
    // A script that is left keeps running and keeps its slot.
    if (!leave.aborted) await engine.store.freeSlot(spool.turn).catch(() => {});
  }
}

/** The prefix of the names of all scripts' spools. */
export const shellSpools = "shell-";

/** The spool's name; every owner of the run computes the same one. */
export function spoolOf({
  run,
  execution,
  attempt,
}: Pick<WorkContext, "run" | "execution" | "attempt">): string {
  const digest = hash("sha256", `${run}/${execution}#${attempt}`, "hex");
  return `${shellSpools}${digest.slice(0, 20)}`;
}

/** Starts the script unless it was started before. `lost`: it may have been started, but its result is unknown. */
async function begin(
  context: WorkContext,
  { script, env, folder, inputs }: ShellWork,
  spool: { readonly turn: string; readonly attempt: number },
): Promise<"before" | "here" | "lost" | "cancelled"> {
  const { engine, run, execution, folder: runFolder, rebooted } = context;
  const state = await engine.launcher.state(spool);
  if (state === "running" || state === "ended") return "before";
  if (state === "vanished" || state === "withdrawn" || rebooted) return "lost";
  const place = workFolder(folder ?? runFolder, runFolder);
  const surroundings = Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = engine.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const variables = { ...surroundings, REPRISE_RUN: run, REPRISE_NODE: execution, ...env };
  checkValues(script, variables);
  if (!(await takeScriptSlot(context, spool.turn))) return "cancelled";
  await engine.launcher.prepare({
    ...spool,
    argv: ["/bin/sh", "-c", redact(script, engine.secrets)],
    prompt: asText(inputs.input),
  });
  await engine.launcher.start(spool, { argv: ["/bin/sh", "-c", script], env: variables }, place);
  return "here";
}

/** Checks for values that cannot be passed to a program. */
function checkValues(script: string, variables: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries({ script, ...variables })) {
    if (text.includes("\0"))
      throw new UsageError(
        "value-with-nul",
        `A value for the script (${name}) contains a NUL character.`,
        'Wire it to the port "input", which the script reads from its standard input.',
      );
    if (Buffer.byteLength(text) > maxArgument)
      throw new UsageError(
        "value-too-long",
        `A value for the script (${name}) is longer than ${maxArgument} bytes.`,
        'Wire it to the port "input", which the script reads from its standard input.',
      );
  }
}

async function follow(
  { engine, signal, leave }: WorkContext,
  { node }: ShellWork,
  spool: { readonly turn: string; readonly attempt: number },
): Promise<Ran> {
  const lines: string[] = [];
  let size = 0;
  let timedOut = false;
  let ending: Promise<void> | null = null;
  const end = () => {
    ending ??= engine.launcher.end(spool.turn, engine.settings.endGrace);
  };
  const left = node.timeout === null ? null : await timeLeft(engine, spool, node.timeout);
  const stopTimer =
    left === null
      ? null
      : startTimer(left, () => {
          timedOut = true;
          end();
        });
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  try {
    const exit = await engine.launcher.follow(spool, {
      onLine(line) {
        size += Buffer.byteLength(line) + 1;
        if (size <= maxOutput) lines.push(line);
      },
      signal: leave,
    });
    await ending;
    return { exit, stdout: lines.join("\n"), tooMuch: size > maxOutput, timedOut };
  } finally {
    stopTimer?.();
    signal.removeEventListener("abort", end);
  }
}

/** An adopted script has the rest of its time: it began when its first owner started it. */
async function timeLeft(
  { launcher, now }: WorkContext["engine"],
  spool: { readonly turn: string; readonly attempt: number },
  timeout: number,
): Promise<number> {
  const since = await launcher.preparedAt(spool);
  // A clock that was set back must not prolong it.
  return Math.min(timeout, (since ?? now()) + timeout - now());
}

/** `kind`: the kind of failure if the process is gone without an exit status. */
function endOf(
  { node }: ShellWork,
  { exit, stdout, tooMuch, timedOut }: Ran,
  kind: FailureKind,
): WorkEnd {
  const stderr = exit.stderr.replace(/\n$/, "");
  const own = { output: stdout, stdout, stderr, exitCode: exit.code };
  // The last three follow from the others and from how it ended.
  const known = { ...own, feedback: null, success: null, error: null };
  const outputs = { ...declaredOutputs(node, stdout, known), ...own };
  if (timedOut)
    return failed(
      new TimedOutError(
        "timed-out",
        `The script did not end within ${node.timeout} ms and was stopped.`,
        "Give the node a longer timeout.",
      ),
      outputs,
    );
  if (exit.code === null || (kind === "interrupted" && isSignal(exit.code)))
    return interrupted(kind);
  if (tooMuch)
    return failed(
      new TerminalError(
        "output-too-long",
        `The script wrote more than ${maxOutput} bytes.`,
        "Write the output to a file and print the file's name.",
      ),
      { exitCode: exit.code },
    );
  if (exit.code !== 0) {
    const last = stderr.split("\n").at(-1);
    return failed(
      new TerminalError(
        "exit-code",
        `The script exited with code ${exit.code}${last ? `: ${last}` : "."}`,
        "Fix the script, or set onError: continue to let the run continue.",
      ),
      outputs,
    );
  }
  return { type: "done", outputs: { ...outputs, success: true } };
}

/** A shell reports that a signal ended it as 128 + the signal's number. */
function isSignal(code: number): boolean {
  return code > 128 && code <= 128 + 64;
}

function interrupted(kind: FailureKind = "interrupted"): WorkEnd {
  const error = {
    code: "interrupted",
    message: "The script was interrupted, and it is unknown how far it got.",
    hint: `Check what it did, then use ${verb("runs.rerun", { run: slot("RUN") })}; with ${kind === "interrupted" ? "onInterrupted: rerun" : "retry"} it is rerun automatically.`,
  };
  return { type: "failed", kind, error, outputs: { success: false, error: error.message } };
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
