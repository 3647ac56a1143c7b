/** `verify`: compares the provider's history, our checkpoint and our transcript. It changes nothing. */

import type { Verification } from "@reprise/core/api/reprise";
import { slice } from "@reprise/core/conversation/slice";
import { judgeHistory } from "@reprise/core/session/history";
import type { Pin } from "@reprise/core/session/pin";
import { sha256 } from "../digest.ts";
import type { Engine } from "../engine.ts";
import { checkpointState } from "../turn/checkpoint.ts";
import { readSession } from "./sessions.ts";

export async function verify(engine: Engine, key: string): Promise<Verification[]> {
  await readSession(engine, key);
  const pins = await engine.store.listPins(key);
  return Promise.all(pins.map((pin) => verifyPin(engine, key, pin)));
}

async function verifyPin(engine: Engine, key: string, pin: Pin): Promise<Verification> {
  const { agent, handle } = pin;
  const subject = await engine.store.load({ key, agent });
  const parts = await engine.store.readCheckpoint({ key, agent, handle: handle.id });
  const found = await engine.provider(pin.provider).observe(handle, sha256);
  const checkpoint = checkpointState(subject.checkpoint, parts, agent);
  const history = judgeHistory(pin, found, checkpoint, sha256);
  const messages = slice(subject.outline, agent).length;

  const findings = [
    ...(subject.retired ? [`The provider session is retired: ${subject.retired}.`] : []),
    ...("found" in history ? [`The provider's history is ${history.found}.`] : []),
    ...(history.state === "restorable" ? ["The next turn puts it back from the checkpoint."] : []),
    ...(history.state === "lost" ? ["The next turn starts again from the transcript."] : []),
    ...(history.state === "advanced"
      ? [`${history.items} items were added in the provider's own program.`]
      : []),
    ...(history.state === "unconfirmed" ? ["The last turn was not confirmed."] : []),
    ...(checkpoint === "damaged" ? ["The checkpoint is damaged."] : []),
    ...(messages > pin.given.length
      ? [`${messages - pin.given.length} messages are not in the provider session yet.`]
      : []),
  ];
  return {
    key,
    agent,
    provider: pin.provider,
    handle: handle.id,
    history: history.state,
    checkpoint,
    transcript: { messages, given: pin.given.length },
    sound: !("found" in history) && checkpoint !== "damaged",
    findings,
  };
}
