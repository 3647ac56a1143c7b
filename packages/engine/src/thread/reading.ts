/**
 * Parses untrusted text in threads, with a deadline and limited memory, so that neither a workflow that is
 * slow to read nor a schema pattern that never ends blocks this process.
 */

import { TerminalError, TimedOutError, UsageError } from "@reprise/core/errors/errors";
import type { StructuredAnswer } from "@reprise/core/prompt/structured-output";
import type { JsonSchema } from "@reprise/core/session/turn";
import type { LoadedWorkflow, LoadOptions } from "@reprise/workflow/load";
import { CallThreads, type ThreadsOptions } from "./call-threads.ts";
import type { ReadingCall, ReadingResult } from "./reading-host.ts";

const host = new URL("./reading-host.js", import.meta.url);

/** Milliseconds. An answer of 8 MiB takes less than one second. */
const maxCheckTime = 5_000;

let workflows: CallThreads<ReadingCall, ReadingResult> | undefined;
const workflowThreads: ThreadsOptions = {
  host,
  // One at a time, so that many large ones leave processors for other work.
  maxThreads: 1,
  limits: { maxOldGenerationSizeMb: 1024 },
  late: (timeout) =>
    new UsageError(
      "bad-workflow",
      `The workflow could not be read within ${timeout / 1000} s.`,
      "Make it smaller or simpler; nothing was changed.",
    ),
  crashed: () =>
    new UsageError(
      "bad-workflow",
      "Reading the workflow needs more memory than allowed.",
      "Make it smaller or simpler; nothing was changed.",
    ),
};

let answers: CallThreads<ReadingCall, ReadingResult> | undefined;
const answerThreads: ThreadsOptions = {
  host,
  maxThreads: 2,
  limits: { maxOldGenerationSizeMb: 1024 },
  late: (timeout) =>
    new TimedOutError(
      "check-timed-out",
      `The answer could not be checked against the outputSchema within ${timeout / 1000} s.`,
      "Simplify the schema; a pattern such as (a+)+ may take for ever.",
    ),
  crashed: () =>
    new TerminalError(
      "check-failed",
      "Checking the answer against the outputSchema needs more memory than allowed.",
      "Simplify the schema, or ask for a shorter answer.",
    ),
};

/** `load` in a thread. @throws UsageError `bad-workflow` if it takes longer than `timeout` milliseconds. */
export async function loadInThread(
  text: string,
  options: LoadOptions,
  timeout: number,
): Promise<LoadedWorkflow> {
  workflows ??= new CallThreads(workflowThreads);
  const reading = await workflows.call({ read: "workflow", text, options }, { timeout });
  if ("loaded" in reading) return reading.loaded;
  throw new TypeError("A workflow was asked for.");
}

/** `readStructured` in a thread. @throws TimedOutError `check-timed-out` */
export async function checkAnswer(
  text: string,
  schema: JsonSchema,
  timeout = maxCheckTime,
): Promise<StructuredAnswer> {
  answers ??= new CallThreads(answerThreads);
  const reading = await answers.call({ read: "answer", text, schema }, { timeout });
  if ("structured" in reading) return reading.structured;
  throw new TypeError("An answer was asked for.");
}
