/**
 * A caller of the library in a process of its own: `node caller.ts '{"home", "folder", "call", "input"}'`;
 * prints what the call came to, or its error.
 */

import { errorView } from "@reprise/core/errors/errors";
import { openReprise } from "@reprise/engine/open-reprise";

export type RunCall =
  | "runs.start"
  | "runs.continue"
  | "runs.recover"
  | "runs.cancel"
  | "inbox.answer"
  | "tokens.create"
  | "protect.scan"
  | "protect.set"
  | "protect.restore"
  | "protect.forget";

export interface RunOrder {
  readonly home: string;
  readonly folder: string;
  readonly call: RunCall;
  readonly input?: unknown;
}

const order: RunOrder = JSON.parse(process.argv[2] ?? "{}");
const reprise = await openReprise({ home: order.home, cwd: order.folder });
const calls: Record<RunCall, (input: never) => Promise<unknown>> = {
  "runs.start": reprise.runs.start,
  "runs.continue": reprise.runs.continue,
  "runs.recover": () => reprise.runs.recover(),
  "runs.cancel": reprise.runs.cancel,
  "inbox.answer": reprise.inbox.answer,
  "tokens.create": reprise.tokens.create,
  "protect.scan": reprise.protect.scan,
  "protect.set": reprise.protect.set,
  "protect.restore": reprise.protect.restore,
  "protect.forget": (id) => reprise.protect.forget(id),
};
const result = await calls[order.call](order.input as never).catch(errorView);
await reprise.close();
console.log(JSON.stringify(result));
