/**
 * What codex was denied in its last turn. Its output leaves out a command that the sandbox stopped at once, and a
 * rejected patch (0.166); the rollout has every call with its result.
 */

import { join } from "node:path";
import type { Denial } from "@reprise/core/session/access";
import type { Handle } from "@reprise/core/session/pin";
import { readOnce } from "../files.ts";
import type { FileSource } from "../provider.ts";
import { findRollout } from "./rollout-files.ts";

interface Payload {
  readonly type?: string;
  readonly name?: string;
  readonly call_id?: string;
  readonly arguments?: string;
  readonly input?: unknown;
  readonly output?: unknown;
}

/** Messages of the kernel, the shell and codex. A command that fails with one for another reason counts too. */
const refusals =
  /Read-only file system|Operation not permitted|Permission denied|^patch rejected:|rejected by user approval settings/m;

export async function denials(handle: Handle, source: FileSource = readOnce()): Promise<Denial[]> {
  const rollout = await findRollout(handle, source);
  const bytes = rollout && (await source.readIfThere(join(handle.place, rollout.name)));
  return bytes ? deniedIn(lastTurn(bytes)) : [];
}

/** Decoded alone, since a rollout may be long. */
function lastTurn(rollout: Uint8Array): string {
  const bytes = Buffer.from(rollout.buffer, rollout.byteOffset, rollout.length);
  const mark = bytes.lastIndexOf(started);
  return bytes.toString("utf8", mark === -1 ? 0 : bytes.lastIndexOf("\n", mark) + 1);
}

const started = '"type":"task_started"';

/** The denials of the last turn in this rollout. */
export function deniedIn(rollout: string): Denial[] {
  const lines = rollout.split("\n");
  const start = lines.findLastIndex((line) => line.includes(started));
  const calls = new Map<string, Payload>();
  const found: Denial[] = [];
  for (const line of lines.slice(start + 1)) {
    if (!line.includes("_call")) continue;
    const payload = payloadOf(line);
    const id = payload?.call_id;
    if (!payload || id === undefined) continue;
    if (!payload.type?.endsWith("_output")) calls.set(id, payload);
    else if (refusals.test(textOf(payload.output))) found.push(denialOf(calls.get(id)));
  }
  return found;
}

function payloadOf(line: string): Payload | null {
  try {
    const { type, payload } = JSON.parse(line);
    return type === "response_item" ? payload : null;
  } catch {
    return null;
  }
}

function textOf(output: unknown): string {
  return typeof output === "string" ? output : (JSON.stringify(output) ?? "");
}

function denialOf(call: Payload | undefined): Denial {
  return { tool: call?.name ?? "command", detail: commandOf(call) };
}

function commandOf(call: Payload | undefined): string | null {
  try {
    const { cmd, command, input } = JSON.parse(call?.arguments ?? "null") ?? {};
    const said = cmd ?? command ?? input ?? call?.input;
    return said === undefined ? null : Array.isArray(said) ? said.join(" ") : String(said);
  } catch {
    return null;
  }
}
