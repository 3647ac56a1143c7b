/** Reads the history of an opencode session. */

import type { Hash } from "@reprise/core/conversation/slice";
import type { History } from "@reprise/core/session/history";
import type { Handle } from "@reprise/core/session/pin";
import type { FileSource } from "../provider.ts";
import { conversationOf } from "./history.ts";
import { readSession } from "./snapshot.ts";

export async function observe(
  handle: Handle,
  hash: Hash,
  source?: FileSource,
): Promise<History | "missing" | "unreadable"> {
  const image = await readSession(handle, source);
  return typeof image === "string" ? image : (conversationOf(image, hash) ?? "unreadable");
}
