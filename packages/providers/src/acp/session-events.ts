/** What an agent sends by itself: the replay of its session, then the updates and requests of the turn. */

import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { AgentEvent } from "../provider.ts";
import type { Incoming } from "./connection.ts";
import type { BridgeOrder } from "./order.ts";
import { answerPermission } from "./permission.ts";
import {
  type AgentToolCall,
  type PermissionRequest,
  type SessionUpdate,
  textOf,
} from "./protocol.ts";
import type { ReplayedChunk } from "./witness.ts";

export class SessionEvents implements Incoming {
  readonly #order: BridgeOrder;
  readonly #print: (event: AgentEvent) => void;
  readonly #calls = new Map<unknown, AgentToolCall>();
  /** The session of the turn; null before the prompt was sent. */
  #session: string | null = null;
  readonly replayed: ReplayedChunk[] = [];
  #replayedMore: () => void = () => {};
  /** What the agent said last, after its last tool. */
  answer = "";

  constructor(order: BridgeOrder, print: (event: AgentEvent) => void) {
    this.#order = order;
    this.#print = print;
  }

  /** Waits for the next piece of the replay; false if none comes within these milliseconds. */
  moreReplayed(within: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), within);
      this.#replayedMore = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }

  /** What comes from now on is of the turn. */
  begin(session: string): void {
    this.#session = session;
  }

  notified(method: string, params: unknown): void {
    if (method !== "session/update") return;
    const { sessionId, update = {} } = (params ?? {}) as {
      sessionId?: unknown;
      update?: SessionUpdate;
    };
    if (this.#session === null) this.#replay(update);
    // An agent may also tell of other sessions, such as those of its subagents.
    else if (sessionId === this.#session) this.#happened(update);
  }

  requested(method: string, params: unknown): unknown {
    if (method !== "session/request_permission") return undefined;
    const request = (params ?? {}) as PermissionRequest;
    const id = request.toolCall?.toolCallId;
    const { access: level, folder, allowedCommands, hidden } = this.#order;
    const rules = { level, folder, allowedCommands, hidden };
    const { outcome, denied } = answerPermission(
      request,
      this.#calls.get(id) ?? {},
      rules,
      (path) => realPath(resolve(folder, path)),
    );
    if (denied !== null) this.#print({ type: "denied", ...denied });
    return { outcome };
  }

  #replay(update: SessionUpdate): void {
    const role = roles[String(update.sessionUpdate)];
    if (!role) return;
    this.replayed.push({ role, text: textOf(update) });
    this.#replayedMore();
  }

  #happened(update: SessionUpdate): void {
    switch (update.sessionUpdate) {
      case "agent_message_chunk": {
        const text = textOf(update);
        if (text === "") return;
        this.answer += text;
        this.#print({ type: "text", text });
        return;
      }
      case "tool_call":
        this.#called(update as AgentToolCall);
        return;
      case "tool_call_update": {
        const { toolCallId: id } = update as AgentToolCall;
        const known = this.#calls.get(id);
        // Some agents only report a call when it has ended.
        if (known === undefined) this.#called(update as AgentToolCall);
        else this.#calls.set(id, { ...known, ...said(update) });
      }
    }
  }

  #called(call: AgentToolCall): void {
    const { toolCallId, kind, title, name } = call;
    this.#calls.set(toolCallId, call);
    // What is said before a tool announces what the agent is about to do; the rest is the answer.
    this.answer = "";
    const known = [name, title, kind].find((each) => typeof each === "string" && each !== "");
    this.#print({ type: "tool", name: String(known ?? "tool") });
  }
}

const roles: Readonly<Record<string, ReplayedChunk["role"]>> = {
  user_message_chunk: "user",
  agent_message_chunk: "agent",
  // Without a text; a turn may have only used tools.
  tool_call: "agent",
};

/** Without what the update leaves as it was. */
function said(update: object): object {
  return Object.fromEntries(
    Object.entries(update).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Also of a file that does not exist yet, and of a link to one; a path that cannot be read is outside of every folder. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") return "/";
    const parent = dirname(path);
    const link = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
    return link
      ? realPath(resolve(realPath(parent), readlinkSync(path)))
      : join(realPath(parent), basename(path));
  }
}
