/** Counts the calls to a store, and gives it more to hold than a test needs, so that a count that grows is seen. */

import type { Message } from "@reprise/core/conversation/message";
import type { SessionKey } from "@reprise/core/session/key";
import type { Engine } from "@reprise/engine/engine";
import type { TurnOpening } from "@reprise/store/contract/turns";
import type { Store } from "@reprise/store/store";

/** The store, which adds the name of each verb that is called to `calls`. */
export function countingStore(store: Store, calls: string[]): Store {
  return new Proxy(store, {
    get(target, verb) {
      const method = Reflect.get(target, verb);
      // A timer writes it, however much the machine has to do meanwhile.
      if (verb === "beat") return async () => {};
      return (...input: unknown[]) => {
        calls.push(String(verb));
        return Reflect.apply(method, target, input);
      };
    },
  });
}

/** Opens the connections that a store may have: each costs statements of its own, whenever it is opened. */
export async function openConnections(store: Store): Promise<void> {
  await Promise.all(Array.from({ length: 20 }, () => store.listAgents()));
}

/** Opens turns of other sessions, two in each: one runs and one waits. */
export async function addOpenTurns({ store, owner, now }: Engine, count: number): Promise<void> {
  const opening = (id: string, key: string) => turnOpening({ owner, now }, id, key as SessionKey);
  await Promise.all(
    Array.from({ length: count }, async (_, number) => {
      const other = `other-${number}`;
      await store.beginTurn(opening(`${other}-running`, other));
      await store.openTurn(opening(`${other}-queued`, other));
    }),
  );
}

/** Adds a turn with `count` messages to a session. */
export async function addMessages(
  { store, owner, now }: Engine,
  key: string,
  count: number,
): Promise<void> {
  const { turn } = await store.beginTurn(
    turnOpening({ owner, now }, `long-${key}`, key as SessionKey),
  );
  const at = now();
  const messages = Array.from(
    { length: count },
    (_, number): Message => ({
      id: `m${number}`,
      role: number % 2 === 0 ? "user" : "assistant",
      agent: "coder",
      provider: "scripted",
      turn: turn.id,
      text: "…",
      digest: "…",
      origin: "turn",
      opening: false,
      at,
    }),
  );
  await store.finishTurn({
    ...{ turn: turn.id, token: turn.token, status: "done", output: null, error: null, usage: null },
    ...{ notices: [], asked: null, attempt: null, pin: null, retire: null, checkpoint: null },
    messages,
    at,
  });
}

/** Adds runs that this process owns and does not drive. */
export async function addRuns({ store, owner, now }: Engine, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, (_, number) =>
      store.createRun({
        ...{ id: `other-${number}`, workflow: "other", path: null, owner, at: now() },
        event: { type: "run.started", data: {} },
      }),
    ),
  );
}

function turnOpening(
  { owner, now }: Pick<Engine, "owner" | "now">,
  id: string,
  key: SessionKey,
): TurnOpening {
  return {
    id,
    provider: "scripted",
    busy: "wait",
    owner,
    durability: "buffered",
    at: now(),
    request: {
      ...{ key, agent: "coder", prompt: "…", surface: "direct" },
      ...{ mode: null, continuity: null, folder: null, cwd: null, model: null },
      ...{ instructions: null, channel: null, timeout: null, outputSchema: null },
      ...{ finishes: false, origin: null },
    },
  };
}
