/** One session by its key: a turn of it can be awaited for its result, and walked through while it goes on. */

import type { Progress, Reprise, Send, SendOptions, TurnResult } from "./reprise.ts";

export type SendToSession = Omit<Send, "key" | "prompt"> & Omit<SendOptions, "onProgress">;

/**
 * A turn that was sent. `await` gives its result, `for await` its steps and the pieces of its answer; both
 * may be done, in any order, and who leaves the walk early does not end the turn.
 */
export type SentTurn = Promise<TurnResult> & AsyncIterable<Progress>;

export interface SessionHandle {
  readonly key: string;
  send(prompt: string, options?: SendToSession): SentTurn;
}

/** `defaults` go with every turn, the agent of a new key above all. */
export function sessionHandle(
  reprise: Pick<Reprise, "sessions">,
  key: string,
  defaults: SendToSession = {},
): SessionHandle {
  return {
    key,
    send(prompt, options = {}) {
      const { signal, leave, id, onOpened, ...send } = { ...defaults, ...options };
      const progress = new Steps();
      const result = reprise.sessions
        .send(
          { ...send, key, prompt },
          {
            ...(signal && { signal }),
            ...(leave && { leave }),
            ...(id !== undefined && { id }),
            ...(onOpened && { onOpened }),
            onProgress: (step) => progress.add(step),
          },
        )
        .finally(() => progress.end());
      return Object.assign(result, {
        [Symbol.asyncIterator]: () => walk(progress, result),
      });
    },
  };
}

/** What there was so far, and a bell for what comes. */
class Steps {
  readonly all: Progress[] = [];
  over = false;
  #change = Promise.withResolvers<void>();

  add(step: Progress): void {
    this.all.push(step);
    this.#ring();
  }

  end(): void {
    this.over = true;
    this.#ring();
  }

  changed(): Promise<void> {
    return this.#change.promise;
  }

  #ring(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}

async function* walk(steps: Steps, result: Promise<TurnResult>): AsyncGenerator<Progress> {
  // Whoever only walks is told of a failure by the walk.
  result.catch(() => {});
  for (let next = 0; ; ) {
    const step = steps.all[next];
    if (step !== undefined) {
      next += 1;
      yield step;
    } else if (steps.over) break;
    else await steps.changed();
  }
  await result;
}
