/** What a decision to resume needs before the launch: a restored history, imported native turns. */

import { join } from "node:path";
import { chain, messageDigest, slice } from "@reprise/core/conversation/slice";
import { judgeHistory, lastSummary } from "@reprise/core/session/history";
import type { Held } from "@reprise/store/store";
import { sha256 } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { newId } from "../ids.ts";
import { assembleFiles } from "./checkpoint.ts";
import type { Situation } from "./observe.ts";

/** Does what the decision asks for; false when it could not be done and must be decided again. */
export async function prepare(
  engine: Engine,
  held: Held,
  number: number,
  situation: Situation,
): Promise<boolean> {
  const { decision, observed } = situation;
  if (decision.outcome !== "resume") return true;
  if (decision.prepare.includes("restore"))
    return restore(engine, situation, join(engine.home.found(held.turn), String(number)));
  if (observed.history.state === "advanced") await importNativeTurns(engine, held, situation);
  return true;
}

/** Puts the provider's files back, and believes it only when the history then is what was confirmed. */
async function restore(engine: Engine, situation: Situation, aside: string): Promise<boolean> {
  const { provider, pin, wanted } = situation;
  if (pin === null) return false;
  const { key, agent } = wanted;
  const parts = await engine.store.readCheckpoint({ key, agent, handle: pin.handle.id });
  const files = assembleFiles(parts);
  if (files === null) return false;
  await provider.copyIn(pin.handle, files, aside);
  const found = await provider.observe(pin.handle, sha256);
  const { state } = judgeHistory(pin, found, "none", sha256);
  return state === "same" || state === "unconfirmed";
}

async function importNativeTurns(engine: Engine, held: Held, situation: Situation): Promise<void> {
  const { pin, history, wanted, subject } = situation;
  if (pin?.history == null || typeof history === "string") return;
  const at = engine.now();
  const messages = history.items.slice(pin.history.length).flatMap(({ role, text }) =>
    role === "user" || role === "assistant"
      ? [
          {
            id: newId(),
            role,
            agent: wanted.agent,
            provider: wanted.provider,
            turn: null,
            text,
            digest: messageDigest(role, text, sha256),
            origin: "native" as const,
            opening: false,
            at,
          },
        ]
      : [],
  );
  const now = slice([...subject.outline, ...messages], wanted.agent);
  await engine.store.importMessages({
    ...held,
    messages,
    pin: {
      ...pin,
      given: chain(
        now.map((message) => message.digest),
        sha256,
      ),
      cursor: messages.at(-1)?.id ?? pin.cursor,
      history: chain(
        history.items.map((item) => item.digest),
        sha256,
      ),
      summary: lastSummary(history),
      residue: null,
      bytes: history.bytes,
    },
    at,
  });
}
