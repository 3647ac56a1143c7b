/** The long calls of `Reprise`: how each is cancelled, shown and followed. */

import type {
  AnsweredItem,
  AnswerOptions,
  Reprise,
  RunDetail,
  RunOptions,
  SendOptions,
  StartOptions,
  TurnResult,
} from "@reprise/core/api/reprise";
import type { Route } from "@reprise/core/api/routes";
import { UsageError } from "@reprise/core/errors/errors";
import { addressOf } from "./address.ts";
import type { Connection } from "./connection.ts";
import { streamEvents } from "./event-stream.ts";
import { callLong, type Long } from "./long-call.ts";
import { TurnProgress } from "./turn-progress.ts";

export type LongCallOptions = SendOptions & RunOptions & StartOptions & AnswerOptions;

export interface LongCall {
  readonly connection: Connection;
  readonly reprise: Reprise;
  readonly route: Route;
  readonly input: object;
}

type Work<Result> = Omit<Long<Result>, "address">;

export async function longCall(call: LongCall, options: LongCallOptions): Promise<unknown> {
  const { connection, reprise, route, input } = call;
  if (options.id !== undefined)
    throw new UsageError(
      "not-over-http",
      "The id of a turn cannot be chosen over a connection.",
      "Leave it out: a turn that is sent again by the client is done once.",
    );
  const address = addressOf(route, input);
  const { onOpened, onStarted, onAnswered, onProgress } = options;
  const onAccepted = onOpened ?? onStarted ?? onAnswered;
  const limits = {
    signal: options.signal,
    // The server drives the runs of its home, so the client need not wait for them.
    leave: (options.continue ?? options.carry) === false ? AbortSignal.abort() : options.leave,
    onAccepted,
  };
  switch (route.long?.shownBy) {
    case "runs.show":
      return callLong(connection, { address, ...runs(reprise) }, limits);
    case "inbox.show":
      return callLong(connection, { address, ...items(reprise) }, limits);
  }
  const turn = { address, ...turns(reprise) };
  if (!onProgress) return callLong(connection, turn, limits);
  return withProgress(call, onProgress, (opened) =>
    callLong(connection, turn, {
      ...limits,
      onAccepted: (subject, given) => {
        onAccepted?.(subject, given);
        opened(subject);
      },
    }),
  );
}

function turns(reprise: Reprise): Work<TurnResult> {
  return {
    cancel: (turn, by) => reprise.turns.cancel(turn, by === null ? {} : { by }),
    show: ({ subject }) => reprise.turns.why(subject),
    acceptedIn: ({ turn }) => ({ subject: turn.id, given: true }),
  };
}

function runs(reprise: Reprise): Work<RunDetail> {
  return {
    cancel: (run, by) => reprise.runs.cancel({ run, by }),
    show: ({ subject }) => reprise.runs.show(subject),
    acceptedIn: ({ id }) => ({ subject: id, given: true }),
  };
}

/** An item continues its run, or the turn that asked. */
function items(reprise: Reprise): Work<AnsweredItem> {
  return {
    async cancel(id, by) {
      const { run } = await reprise.inbox.show(id);
      return run === null ? turns(reprise).cancel(id, by) : reprise.runs.cancel({ run, by });
    },
    async show({ subject, given }) {
      const item = await reprise.inbox.show(subject);
      const run = item.run === null ? null : await reprise.runs.show(item.run);
      return { item, given, run };
    },
    acceptedIn: ({ item, given }) => ({ subject: item.id, given }),
  };
}

/** Reads the log during the call, from just before it. */
async function withProgress(
  { connection, reprise, route, input }: LongCall,
  report: NonNullable<SendOptions["onProgress"]>,
  call: (onAccepted: (turn: string) => void) => Promise<TurnResult>,
): Promise<TurnResult> {
  const progress = new TurnProgress(report);
  const over = new AbortController();
  const opened = Promise.withResolvers<void>();
  const accepted = Promise.withResolvers<string>();
  const reading = (async () => {
    const events = streamEvents(connection, {
      path: "/v1/events",
      after: null,
      signal: over.signal,
      onOpen: opened.resolve,
    });
    for await (const event of events) {
      const turn = await accepted.promise;
      if (over.signal.aborted) return;
      if ((event.data as { turn?: unknown } | null)?.turn === turn)
        await progress.take(event, () => reprise.turns.why(turn));
    }
  })();
  try {
    await Promise.race([opened.promise, reading]);
    const earlier = route.name === "turns.answer" ? await attemptsOf(reprise, input) : 0;
    const result = await call(accepted.resolve);
    progress.end(result, earlier);
    return result;
  } finally {
    over.abort();
    accepted.resolve("");
    // Progress is best effort: failing to read the log does not fail the turn.
    reading.catch(() => {});
  }
}

async function attemptsOf(reprise: Reprise, input: { turn?: string }): Promise<number> {
  return (await reprise.turns.why(input.turn ?? "")).attempts.length;
}
