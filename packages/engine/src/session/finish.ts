/** `finish`: a new turn that asks the agent to finish one that was cut off. */

import { parse } from "@reprise/core/api/parse";
import type { FinishSession, SendOptions, TurnResult } from "@reprise/core/api/reprise";
import { finishSchema } from "@reprise/core/api/schemas";
import { RefusedError } from "@reprise/core/errors/errors";
import { slot, verb } from "@reprise/core/errors/hint";
import { finishPrompt } from "@reprise/core/prompt/finish";
import type { SessionKey } from "@reprise/core/session/key";
import { defaultBusy } from "@reprise/core/session/policy";
import { type Engine, newId } from "../engine.ts";
import { turnResult } from "../turn/run-turn.ts";
import { agentFor, sendTurn } from "../turn/send.ts";
import { readSession } from "./sessions.ts";

export async function finishSession(
  engine: Engine,
  input: FinishSession,
  { id = newId(), ...options }: SendOptions = {},
): Promise<TurnResult> {
  const { key, busy, timeout, within, by = null } = parse(finishSchema(), input);
  await readSession(engine, key);
  const agent = await agentFor(engine, key, null);
  // An existing turn with this id was checked when it was opened.
  if ((await engine.store.readTurn(id)) === null) await requireCutOff(engine, key, agent.name);
  const ended = await sendTurn(
    engine,
    {
      id,
      agent,
      busy: busy ?? defaultBusy("direct"),
      by,
      request: {
        ...{ key: key as SessionKey, prompt: finishPrompt, finishes: true },
        ...{ surface: "direct", mode: null, continuity: null, folder: null, cwd: engine.cwd },
        ...{ model: null, instructions: null, channel: null, timeout: timeout ?? null },
        ...{ outputSchema: null, origin: null },
        ...(within != null && { within }),
      },
    },
    options,
  );
  return turnResult(ended);
}

/** A cut-off turn that left something has its prompt, unconfirmed, at the end of the conversation. */
async function requireCutOff(engine: Engine, key: string, agent: string): Promise<void> {
  const { outline } = await engine.store.load({ key, agent });
  if (outline.at(-1)?.origin === "unconfirmed") return;
  const [last] = await engine.store.listTurns({ key, limit: 1 });
  const cut = last !== undefined && last.attempts.length > 0 && last.status !== "done";
  throw new RefusedError(
    "nothing-to-finish",
    cut
      ? `Turn ${last.seq} of session ${key} is ${last.status}, but it left nothing in the session: no tool ran.`
      : `The last turn of session ${key} was not cut off, so there is nothing to finish.`,
    cut
      ? "Send its prompt again."
      : `Send it a prompt: ${verb("sessions.send", { key, prompt: slot("PROMPT") })}.`,
  );
}
