/** Follows one launch to its end and collects its events; ends it on a cancel, a time-out or a wrong id. */

import type { Progress } from "@reprise/core/api/reprise";
import type { Denial } from "@reprise/core/session/access";
import { cancelledBy } from "@reprise/core/session/cancel-reason";
import type { Failure } from "@reprise/core/session/failure";
import type { AskedQuestion } from "@reprise/core/session/question";
import type { Usage } from "@reprise/core/usage/usage";
import type { SpoolId } from "@reprise/providers/launch/launcher";
import type { AgentEvent, Exit, Provider } from "@reprise/providers/provider";
import type { Engine } from "../engine.ts";

/** `setTimeout` fires at once for more than this (24 days). */
const maxTimer = 2 ** 31 - 1;

export interface WatchedAttempt {
  /** The session id that the provider reported. */
  readonly id: string | null;
  /** The model that it ran on; null if it did not say. */
  readonly model: string | null;
  /** The version that its program named; null if it named none. */
  readonly version: string | null;
  /** The answer, once a result event came. */
  readonly result: string | null;
  readonly tools: boolean;
  /** Names of the tools that ran, in order. */
  readonly toolNames: readonly string[];
  /** What it was denied, each call once. */
  readonly denied: readonly Denial[];
  readonly failure: Failure | null;
  /** The question that it asked before it can continue. */
  readonly asked: AskedQuestion | null;
  /** What a person should know besides the answer, each once. */
  readonly notes: readonly string[];
  readonly usage: Usage | null;
  readonly exit: Exit;
  readonly cancelled: boolean;
  /** Null if unknown. */
  readonly cancelledBy: string | null;
  readonly timedOut: boolean;
  /** It was started, but its spool is missing. */
  readonly spoolLost?: boolean;
}

/** A recorded launch whose spool is missing: nothing is known of it, so assume that a tool ran. */
export function withoutSpool(signal: AbortSignal | undefined): WatchedAttempt {
  return {
    id: null,
    model: null,
    version: null,
    result: null,
    tools: true,
    toolNames: [],
    denied: [],
    failure: null,
    asked: null,
    notes: [],
    usage: null,
    exit: { code: null, stderr: "" },
    cancelled: signal?.aborted ?? false,
    cancelledBy: cancelledBy(signal),
    timedOut: false,
    spoolLost: true,
  };
}

export interface WatchOptions {
  /** Any other id ends the launch at once; null accepts any id. */
  readonly expectedId: string | null;
  /** When the launch must have ended, in milliseconds of `engine.now()`. */
  readonly deadline: number | null;
  readonly signal?: AbortSignal | undefined;
  /** Stops following, and leaves the launch as it is. */
  readonly leave?: AbortSignal | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export async function watch(
  engine: Engine,
  spool: SpoolId,
  provider: Provider,
  { expectedId, deadline, signal, leave, onProgress }: WatchOptions,
): Promise<WatchedAttempt> {
  const reader = provider.reader();
  let id: string | null = null;
  let model: string | null = null;
  let version: string | null = null;
  let result: string | null = null;
  let failure: Failure | null = null;
  let usage: Usage | null = null;
  let asked: AskedQuestion | null = null;
  const notes = new Set<string>();
  const toolNames: string[] = [];
  const denied = new Map<string, Denial>();
  let cancelled = false;
  let timedOut = false;
  let ending: Promise<void> | null = null;

  const end = () => {
    ending ??= engine.launcher.end(spool.turn, engine.settings.endGrace);
  };
  const take = (event: AgentEvent) => {
    switch (event.type) {
      case "session":
        if (id === null || id === expectedId) id = event.id;
        if (expectedId !== null && event.id !== expectedId) end();
        break;
      case "model":
        model = event.name;
        break;
      case "version":
        version = event.version;
        break;
      case "tool":
        toolNames.push(event.name);
        onProgress?.({ type: "tool", name: event.name });
        break;
      case "text":
        onProgress?.({ type: "text", text: event.text });
        break;
      case "usage":
        usage = event.usage;
        break;
      // A launch may end several times (claude does after a deferred call): the last end counts.
      case "result":
        result = event.text;
        asked = null;
        break;
      case "asked":
        asked = { question: event.question, lost: event.lost };
        result = null;
        break;
      case "denied": {
        const { tool, detail, id } = event;
        denied.set(id ?? String(denied.size), { tool, detail });
        break;
      }
      case "note":
        notes.add(event.text);
        break;
      case "failure":
        failure = event.failure;
        asked = null;
        break;
    }
  };
  const cancel = () => {
    cancelled = true;
    end();
  };
  const remaining =
    deadline === null ? null : Math.min(Math.max(0, deadline - engine.now()), maxTimer);
  const timer =
    remaining === null
      ? null
      : setTimeout(() => {
          timedOut = true;
          end();
        }, remaining);
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel, { once: true });

  try {
    const exit = await engine.launcher.follow(spool, {
      onLine: (line) => reader.line(line).forEach(take),
      ...(leave && { signal: leave }),
    });
    await ending;
    reader.end(exit).forEach(take);
    return {
      id,
      model,
      version,
      result,
      tools: toolNames.length > 0,
      toolNames,
      denied: [...denied.values()],
      failure,
      asked,
      notes: [...notes],
      usage,
      exit,
      cancelled: cancelled || exit.cancelled !== undefined,
      cancelledBy: (cancelled ? cancelledBy(signal) : null) ?? exit.cancelled?.by ?? null,
      timedOut,
    };
  } finally {
    if (timer) clearTimeout(timer);
    signal?.removeEventListener("abort", cancel);
  }
}
