/** `verify`: compares the provider's history, our checkpoints and our transcript. Changes nothing. */

import type { Verification } from "@reprise/core/api/reprise";
import { measureSlice, messageDigest, slice } from "@reprise/core/conversation/slice";
import { continued, givenNow } from "@reprise/core/session/guards";
import type { CheckpointState } from "@reprise/core/session/history";
import type { Pin } from "@reprise/core/session/pin";
import { toRules, withSession } from "@reprise/core/settings/settings";
import type { Session } from "@reprise/store/contract/sessions";
import { type Engine, sha256 } from "../engine.ts";
import {
  copiesOf,
  examine,
  filesAt,
  isSound,
  obstacleTo,
  readHistory,
} from "../turn/checkpoint.ts";
import { findingsOf } from "./findings.ts";
import { presentPin } from "./present-pin.ts";
import { readSession } from "./sessions.ts";

export async function verify(engine: Engine, key: string): Promise<Verification[]> {
  const session = await readSession(engine, key);
  const pins = await engine.store.listPins(key);
  return Promise.all(
    pins.map(async (pin) => verifyPin(engine, session, await presentPin(engine, pin))),
  );
}

async function verifyPin(
  engine: Engine,
  { key, conversation, settings }: Session,
  pin: Pin,
): Promise<Verification> {
  const { agent, handle } = pin;
  const provider = engine.provider(pin.provider);
  const asked = { key, agent, rules: toRules(withSession(engine.settings, settings)) };

  const facts = { ...(await engine.store.load({ key, agent })), pin };
  const examined = await examine(engine, facts, await readHistory(provider, pin), asked);

  const kept = await engine.store.readCheckpoints({ key, agent, handle: handle.id });
  const copies = copiesOf(kept);
  const whole = kept.heads.filter((head) => filesAt(head, copies) !== null);
  const damaged = kept.parts.filter((part) => !isSound(part));
  const newestIsWhole = whole.length > 0 && whole[0] === kept.heads[0];
  const checkpoint: CheckpointState =
    obstacleTo(kept, pin) ?? (newestIsWhole ? "whole" : "damaged");

  const transcript = await engine.store.readTranscript(conversation);
  const altered = transcript.filter(
    ({ role, text, digest }) => messageDigest(role, text, sha256) !== digest,
  ).length;
  const messages = slice(facts.outline, agent).length;
  const given = givenNow(pin, examined.state).length;
  const measured = measureSlice(facts.outline, agent, pin.given, sha256);

  return {
    key,
    agent,
    provider: pin.provider,
    handle: handle.id,
    history: examined.state.state,
    checkpoint,
    checkpoints: {
      kept: kept.heads.length,
      whole: whole.length,
      parts: kept.parts.length,
      damagedParts: damaged.length,
    },
    transcript: { messages, given, altered },
    sound:
      !("found" in examined.state || "error" in examined.state) &&
      (checkpoint === "whole" || checkpoint === "none") &&
      damaged.length + altered === 0,
    findings: findingsOf({
      pin,
      retired: facts.retired,
      examined,
      checkpoint: provider.manifest.checkpoint === "none" ? null : checkpoint,
      newest: kept.heads[0] ?? null,
      newestWhole: whole[0] ?? null,
      parts: kept.parts.length,
      damaged,
      altered,
      missing: messages - given,
      continues: continued(asked, { slice: measured }).prefix === pin.given.digest,
    }),
  };
}
