/** `run({ sessionKey })`: the name that other programs, such as OpenClaw, have for `sessions.send({ key })`. */

import { UsageError } from "../errors/errors.ts";
import type { Reprise, Send, SendOptions, TurnResult } from "./reprise.ts";

/** What `sessions.send` takes, with the key as `sessionKey`. */
export interface RunSession extends Omit<Send, "key"> {
  sessionKey: string;
}

export async function runSession(
  reprise: Pick<Reprise, "sessions">,
  input: RunSession,
  options?: SendOptions,
): Promise<TurnResult> {
  return reprise.sessions.send(withKey({ ...input }) as unknown as Send, options);
}

/** The same input with `key` in place of `sessionKey`. */
export function withKey(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { sessionKey: key, ...send } = input;
  if ("key" in send)
    throw new UsageError(
      "bad-input",
      '"sessionKey" is another name for "key"; only one of them can be given.',
      "Leave one out; nothing was changed.",
    );
  return { ...send, ...(key !== undefined && { key }) };
}
