/** Bundles: exports a session from this home, and imports one so that its next turn resumes. */

import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { parse } from "@reprise/core/api/parse";
import { exportSchema, importSchema } from "@reprise/core/api/portable-schemas";
import type { CreatedSession, ExportSession, ImportSession } from "@reprise/core/api/reprise";
import type { Message } from "@reprise/core/conversation/message";
import { messageDigest } from "@reprise/core/conversation/slice";
import { NotFoundError, TerminalError, UsageError } from "@reprise/core/errors/errors";
import { option, verb } from "@reprise/core/errors/hint";
import {
  type Bundle,
  type BundlePin,
  decodeBundle,
  encodeBundle,
  notABundle,
} from "@reprise/core/session/bundle";
import { judgeHistory } from "@reprise/core/session/history";
import { type SessionKey, sessionKey } from "@reprise/core/session/key";
import type { Handle, Pin } from "@reprise/core/session/pin";
import type { ProviderFile } from "@reprise/providers/provider";
import type { Agent } from "@reprise/store/contract/agents";
import { actor, type Engine, recordAction, sha256 } from "../engine.ts";
import { newCheckpoint } from "../turn/checkpoint.ts";
import { type BoundAgent, bindAgent, probe, workFolder } from "../turn/observe.ts";
import { placeFiles } from "./placement.ts";
import { readInScratch } from "./scratch.ts";
import { takeSnapshot } from "./snapshot.ts";

const mebibyte = 1024 * 1024;
/** No bundle unpacks to more. */
const maxUnpacked = 1024 * mebibyte;
/** Conversations are packed to a tenth or a twentieth; what unpacks to far more is made to fill the memory. */
const maxRatio = 200;

export async function exportSession(engine: Engine, input: ExportSession): Promise<Uint8Array> {
  const { key, transcriptOnly, by } = parse(exportSchema(), input);
  const { agent, provider, messages, pin, files, parked } = await takeSnapshot(engine, key);
  if (parked && messages.length === 0)
    throw new UsageError(
      "nothing-to-export",
      `Session ${key} waits for an answer in its first turn, so there is nothing to export yet.`,
      "Answer it or cancel the turn. Nothing was written.",
    );
  const whole = !transcriptOnly && pin && files;
  const bundle: Bundle = {
    header: { key, agent, provider: provider.manifest.name, exportedAt: engine.now() },
    messages: messages.map(({ turn: _, digest: __, tools, ...message }) => ({
      ...message,
      ...(tools && { tools: [...tools] }),
    })),
    pin: whole ? bundlePin(pin) : null,
    files: whole
      ? files.map(({ name, bytes }) => ({
          name,
          sha256: sha256(bytes),
          base64: Buffer.from(bytes).toString("base64"),
        }))
      : [],
  };
  const packed = zstdCompressSync(encodeBundle(bundle, sha256));
  await recordAction(engine, `session:${key}`, {
    type: "session.exported",
    data: { messages: messages.length, files: bundle.files.length, by: actor(engine, by) },
  });
  return packed;
}

/** Leaves out the account, the home and the place: they differ where the bundle is imported. */
function bundlePin(pin: Pin): BundlePin {
  const { handle, folder, runtime, model, instructions, given, cursor, history, summary } = pin;
  const { context, totals, turns, tokens, bytes, startedAt, confirmedAt } = pin;
  const { product, version, abilities } = runtime;
  return {
    id: handle.id,
    folder,
    runtime: { product, version, abilities: [...abilities] },
    ...{ model, instructions, given, cursor, history, summary },
    ...{ totals, turns, tokens, bytes, startedAt, confirmedAt },
    ...(context && { context }),
  };
}

export async function importSession(engine: Engine, input: ImportSession): Promise<CreatedSession> {
  const wanted = parse(importSchema(), input);
  const bundle = decodeBundle(unpack(wanted.bundle), sha256);
  const { header } = bundle;
  const key = sessionKey(wanted.key ?? header.key);
  const agent = await agentFor(engine, wanted.agent ?? header.agent, header.provider);
  await requireNew(engine, key);
  const messages = messagesOf(bundle, agent.name);
  const created = { key, agent: agent.name, provider: agent.provider };
  const creation = {
    ...created,
    how: "imported" as const,
    from: header.key,
    messages,
    at: engine.now(),
  };
  if (bundle.pin === null) {
    await engine.store.createSession({ ...creation, pin: null, checkpoint: null });
    const text = "The bundle has only the transcript; the first turn starts from it.";
    const notices = [{ code: "transcript-only", text }];
    return { ...created, messages: messages.length, next: "reseed", notices };
  }

  const folder = workFolder(wanted.folder ?? agent.folder ?? engine.cwd, engine.cwd);
  const bound = bindAgent(engine, agent);
  const { pin, files } = await relocated(engine, bound, bundle, bundle.pin, folder);
  await placeFiles(engine, bound.provider, key, { pin, files }, () =>
    engine.store.createSession({ ...creation, pin, checkpoint: newCheckpoint(pin, files) }),
  );
  return { ...created, messages: messages.length, next: "resume", notices: [] };
}

function unpack(bundle: Uint8Array): string {
  try {
    const maxOutputLength = Math.min(maxUnpacked, 16 * mebibyte + maxRatio * bundle.byteLength);
    return zstdDecompressSync(bundle, { maxOutputLength }).toString("utf8");
  } catch {
    throw notABundle();
  }
}

async function agentFor(engine: Engine, name: string, provider: string): Promise<Agent> {
  const agent = await engine.store.readAgent(name);
  if (agent === null)
    throw new NotFoundError(
      "no-agent",
      `There is no agent ${name} here to continue the session.`,
      `Create it with ${verb("agents.create", { name, provider })}, or name another with ${option("agent")}.`,
    );
  if (agent.provider === provider) return agent;
  throw new UsageError(
    "other-provider",
    `The session belongs to ${provider}, but agent ${name} uses ${agent.provider}.`,
    `Name an agent of ${provider} with ${option("agent")}, or export with ${option("transcriptOnly")}.`,
  );
}

async function requireNew(engine: Engine, key: SessionKey): Promise<void> {
  if ((await engine.store.readSession(key)) === null) return;
  throw new TerminalError(
    "session-exists",
    `Session ${key} already exists.`,
    `Choose another key with ${option("key")}, or purge that session first.`,
  );
}

/** Assigns the exported agent's messages to the importing agent. Digests are computed again, not trusted. */
function messagesOf({ header, messages }: Bundle, agent: string): Message[] {
  return messages.map(({ takenBack, ...message }) => ({
    ...message,
    agent: message.agent === header.agent ? agent : message.agent,
    turn: null,
    digest: messageDigest(message.role, message.text, sha256),
    ...(takenBack && { takenBack }),
  }));
}

/** The pin and the files for this agent and folder, checked before anything is written. */
async function relocated(
  engine: Engine,
  bound: BoundAgent,
  { files: packed }: Bundle,
  { id, folder: before, runtime, context, ...standing }: BundlePin,
  folder: string,
): Promise<{ pin: Pin; files: ProviderFile[] }> {
  const { provider, agent, providerAgent } = bound;
  if (!provider.manifest.idPattern.test(id))
    throw unfit("its session id is not valid for the provider");
  const { runtime: here } = await probe(engine, bound, { writes: false });
  const handle: Handle = { id, place: await provider.place(providerAgent, folder) };
  const files = packed.map(({ name, sha256: digest, base64 }) => {
    const bytes = new Uint8Array(Buffer.from(base64, "base64"));
    if (sha256(bytes) !== digest) throw unfit(`the checksum of ${name} does not match`);
    return { name, bytes };
  });
  const own = provider.relocate?.(files, { id, folder: before }, { id, folder }) ?? files;
  const pin: Pin = {
    ...standing,
    ...(context && { context }),
    handle,
    provider: agent.provider,
    agent: agent.name,
    folder,
    runtime: { ...runtime, home: here.home },
    account: null,
    residue: null,
    strikes: 0,
  };
  const { history, owned } = await readInScratch(engine, provider, id, own).catch(() => {
    throw unfit("the provider cannot read its files");
  });
  // A bundle may come from anywhere: accept only files that belong to the session.
  const foreign = own.find(({ name }) => !owned.includes(name));
  if (foreign) throw unfit(`${foreign.name} does not belong to this session`);
  if (judgeHistory(pin, history, "none", sha256).state !== "same")
    throw unfit("its files do not match its pin");
  return { pin, files: own };
}

function unfit(why: string): UsageError {
  return new UsageError(
    "bundle-unfit",
    `The bundle cannot be used: ${why}.`,
    `Export it again; with ${option("transcriptOnly")} it can be imported without the provider's files.`,
  );
}
