/** Rewrites a pi session's file for another id, or for another work folder. */

import { basename, join } from "node:path";
import type { ProviderFile, SessionLocation } from "../provider.ts";
import { isNamed, sessionFolder } from "./session-files.ts";

/** Pi works in the folder that the header names; what the conversation mentions stays. */
export function relocate(
  files: readonly ProviderFile[],
  from: SessionLocation,
  to: SessionLocation,
): ProviderFile[] {
  return files.map(({ name, bytes }) => {
    if (!isNamed(name, from.id)) return { name, bytes };
    const [, slug = ""] = name.split("/");
    const folder = from.folder === to.folder ? join("sessions", slug) : sessionFolder(to.folder);
    const file = basename(name).replace(`_${from.id}.jsonl`, `_${to.id}.jsonl`);
    return { name: join(folder, file), bytes: withHeader(bytes, from, to) };
  });
}

function withHeader(bytes: Uint8Array, from: SessionLocation, to: SessionLocation): Uint8Array {
  const whole = Buffer.from(bytes);
  const end = whole.indexOf("\n");
  if (end === -1) return bytes;
  try {
    const header = JSON.parse(whole.toString("utf8", 0, end));
    const moved = {
      ...header,
      id: to.id,
      ...(from.folder !== to.folder && { cwd: to.folder }),
    };
    return Buffer.concat([Buffer.from(JSON.stringify(moved)), whole.subarray(end)]);
  } catch {
    return bytes;
  }
}
