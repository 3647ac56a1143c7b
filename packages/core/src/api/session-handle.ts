/** One session by its key: its turns can be awaited for their result and iterated for their steps. */

import type { Progress, Reprise, Send, SendOptions, TurnResult } from "./reprise.ts";

export type SendToSession = Omit<Send, "key" | "prompt"> & Omit<SendOptions, "onProgress">;

/**
 * A turn that was sent. `await` gives its result, `for await` its steps and the pieces of its answer, in any
 * order. Leaving the loop early does not end the turn.
 */
export type SentTurn = Promise<TurnResult> & AsyncIterable<Progress>;

export interface SessionHandle {
  readonly key: string;
  send(prompt: string, options?: SendToSession): SentTurn;
}

/** `defaults` apply to every turn, for example the agent of a new key. */
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
        [Symbol.asyncIterator]: () => iterate(progress, result),
      });
    },
  };
}

/** The steps so far, and a promise for the next change. */
class Steps {
  readonly all: Progress[] = [];
  over = false;
  #change = Promise.withResolvers<void>();

  add(step: Progress): void {
    this.all.push(step);
    this.#wake();
  }

  end(): void {
    this.over = true;
    this.#wake();
  }

  changed(): Promise<void> {
    return this.#change.promise;
  }

  #wake(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}

async function* iterate(steps: Steps, result: Promise<TurnResult>): AsyncGenerator<Progress> {
  // A caller that only iterates gets the failure from the iteration.
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
