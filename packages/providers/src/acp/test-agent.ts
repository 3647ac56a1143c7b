/**
 * An agent for tests that speaks the Agent Client Protocol: its model is a Chat Completions server, its sessions are files
 * below TEST_AGENT_HOME, and it misbehaves on command. A trick is a file there; it holds for the next session that is
 * opened. `agent.json` there says what the agent is and can do.
 */

import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text as textOfStream } from "node:stream/consumers";
import { onLines } from "./connection.ts";

export interface TestAgentOptions {
  readonly name?: string;
  readonly version?: string;
  readonly protocolVersion?: number;
  readonly loads?: boolean;
  readonly resumes?: boolean;
  /** The error of a session that does not exist. */
  readonly unknownSession?: number;
  /** It replays a session only after it has said that it is loaded. */
  readonly replaysLate?: boolean;
  /** It replays none but the last turns. */
  readonly replays?: number;
  /** It opens a session only after this way to log in was used. */
  readonly login?: string;
  /** It asks for nothing. */
  readonly acts?: boolean;
  /** It has modes, and begins in this one. */
  readonly mode?: string;
  readonly offersModels?: boolean;
}

type Message = Readonly<Record<string, unknown>> & { readonly role: string };
type Params = Readonly<Record<string, unknown>>;

interface Call {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

class AgentError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const home = process.env.TEST_AGENT_HOME ?? "";
const options: TestAgentOptions = readIfThere("agent.json", "{}");
const { loads = true, resumes = false, unknownSession = -32603 } = options;
const tricks = new Map<string, string>();
const aborts = new Set<AbortController>();
const waiting = new Map<unknown, (result: Params) => void>();
let requests = 0;
let loggedIn = options.login === undefined;
let mode = options.mode;
let model = "any";
let messages: Message[] = [];

onLines(process.stdin, (line) => void receive(JSON.parse(line)));
process.stdin.once("end", () => {
  if (!tricks.has("stay")) process.exit(0);
  setInterval(() => {}, 60_000);
});

function readIfThere<T>(name: string, otherwise: string): T {
  const file = join(home, name);
  return JSON.parse(existsSync(file) ? readFileSync(file, "utf8") : otherwise) as T;
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

async function receive(message: Params): Promise<void> {
  const { id, method, params, result } = message;
  if (method === undefined) return waiting.get(id)?.((result ?? {}) as Params);
  try {
    const given = await answer(String(method), (params ?? {}) as Params);
    if (id !== undefined) send({ id, result: given });
    if (method === "session/load" && options.replaysLate)
      setTimeout(() => replay((params ?? {}) as Params), 30);
  } catch (error) {
    const { code = -32603, message: said, data } = error as AgentError;
    send({ id, error: { code, message: said, data } });
  }
}

async function answer(method: string, params: Params): Promise<unknown> {
  switch (method) {
    case "initialize":
      return greeting();
    case "authenticate":
      loggedIn = params.methodId === options.login;
      return {};
    case "session/new":
      return opened(open(params, null));
    case "session/load":
    case "session/resume": {
      const id = open(params, String(params.sessionId));
      if (method === "session/load" && !options.replaysLate) replay({ ...params, sessionId: id });
      return opened(tricks.has("silent") ? null : id);
    }
    case "session/set_mode":
      mode = String(params.modeId);
      return {};
    case "session/set_config_option":
      if (params.value === "no-such-model") throw new AgentError(-32602, "Invalid params");
      model = String(params.value);
      return {};
    case "session/prompt":
      return prompted(params);
    case "session/cancel":
      for (const abort of aborts) abort.abort();
      return {};
  }
  throw new AgentError(-32601, `Method not found: ${method}`);
}

function greeting() {
  return {
    protocolVersion: options.protocolVersion ?? 1,
    agentInfo: { name: options.name ?? "test-agent", version: options.version ?? "1.0.0" },
    agentCapabilities: {
      loadSession: loads,
      ...(resumes && { sessionCapabilities: { resume: {} } }),
    },
    authMethods: options.login === undefined ? [] : [{ id: options.login, name: "A key" }],
  };
}

/** Begins or continues a session; returns its id. */
function open({ cwd }: Params, resumed: string | null): string {
  for (const name of ["new-session", "silent", "ghost", "junk", "crash", "stay", "refuse"])
    if (existsSync(join(home, name))) {
      tricks.set(name, readFileSync(join(home, name), "utf8"));
      rmSync(join(home, name));
    }
  const argv = [...process.argv.slice(2), cwd];
  const line = { argv, resumed, pid: process.pid };
  appendFileSync(join(home, "launches"), `${JSON.stringify(line)}\n`);
  if (tricks.has("junk")) process.stdout.write('Loading…\n\n{"not json\n[1]\n{"a":\ud83d}\n');
  if (!loggedIn) throw new AgentError(-32000, "Authentication required");
  if (tricks.has("stay")) process.on("SIGTERM", () => {});
  if (resumed === null) return tricks.get("new-session") ?? randomUUID();
  const other = tricks.get("new-session");
  if (other !== undefined) return other;
  if (!existsSync(fileOf(resumed)) || tricks.has("refuse"))
    throw new AgentError(unknownSession, "Internal error", {
      details: `no session ${resumed} was found`,
    });
  const lines = readFileSync(fileOf(resumed), "utf8").split("\n").filter(Boolean);
  // As most agents do, it leaves out what it cannot read.
  messages = lines.flatMap((each) => parsed(each) ?? []);
  return resumed;
}

function parsed(line: string): Message | null {
  try {
    return JSON.parse(line) as Message;
  } catch {
    return null;
  }
}

function opened(sessionId: string | null) {
  return {
    ...(sessionId !== null && { sessionId }),
    ...(mode !== undefined && {
      modes: {
        currentModeId: mode,
        availableModes: ["default", "yolo"].map((id) => ({ id, name: id })),
      },
    }),
    ...(options.offersModels !== false && {
      configOptions: [
        {
          id: "model",
          name: "Model",
          category: "model",
          type: "select",
          currentValue: model,
          options: [{ value: model, name: model }],
        },
      ],
    }),
  };
}

function replay({ sessionId }: Params): void {
  const asked = messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
  const from = options.replays === undefined ? 0 : (asked.at(-options.replays) ?? 0);
  update(sessionId, { sessionUpdate: "user_message_chunk", ...chunk("<context/>") });
  for (const { role, content } of messages.slice(from))
    if ((role === "user" || role === "assistant") && typeof content === "string")
      update(sessionId, {
        sessionUpdate: role === "user" ? "user_message_chunk" : "agent_message_chunk",
        ...chunk(content),
      });
}

function chunk(text: string) {
  return { content: { type: "text", text } };
}

function update(sessionId: unknown, of: object): void {
  send({ method: "session/update", params: { sessionId, update: of } });
}

function fileOf(id: string): string {
  return join(home, "sessions", `${id}.jsonl`);
}

function save(id: string): void {
  mkdirSync(join(home, "sessions"), { recursive: true });
  writeFileSync(fileOf(id), messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
}

async function prompted({ sessionId, prompt }: Params): Promise<unknown> {
  const id = String(sessionId);
  if (tricks.has("crash")) process.exit(3);
  const text = (prompt as readonly { text: string }[]).map((part) => part.text).join("");
  if (text.trimStart().startsWith("/")) {
    messages = [];
    save(id);
    update(id, { sessionUpdate: "agent_message_chunk", ...chunk("Cleared.") });
    return { stopReason: "end_turn" };
  }
  const before = messages;
  const abort = new AbortController();
  aborts.add(abort);
  messages = [...messages, { role: "user", content: text }];
  const used = { inputTokens: 0, cachedReadTokens: 0, outputTokens: 0 };
  try {
    for (;;) {
      const { message, usage } = await ask(id, abort.signal);
      used.inputTokens += usage.prompt_tokens - usage.prompt_tokens_details.cached_tokens;
      used.cachedReadTokens += usage.prompt_tokens_details.cached_tokens;
      used.outputTokens += usage.completion_tokens;
      messages = [...messages, message];
      if (typeof message.content === "string" && message.content !== "")
        update(id, { sessionUpdate: "agent_message_chunk", ...chunk(message.content) });
      const calls = (message.tool_calls ?? []) as readonly Call[];
      if (calls.length === 0) break;
      for (const call of calls) {
        const content = await run(id, call, abort.signal);
        messages = [...messages, { role: "tool", tool_call_id: call.id, content }];
        if (!tricks.has("ghost")) save(id);
      }
    }
  } catch (error) {
    // What a tool has done stays in the session; otherwise the turn is taken back.
    if (!messages.slice(before.length).some(({ role }) => role === "tool")) messages = before;
    if (abort.signal.aborted) return { stopReason: "cancelled" };
    throw error;
  }
  if (!tricks.has("ghost")) save(id);
  const totalTokens = used.inputTokens + used.cachedReadTokens + used.outputTokens;
  return { stopReason: "end_turn", usage: { ...used, totalTokens } };
}

interface Completion {
  readonly message: Message;
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details: { readonly cached_tokens: number };
  };
}

const tools = ["shell", "write", "read"].map((name) => ({ type: "function", function: { name } }));

async function ask(session: string, signal: AbortSignal): Promise<Completion> {
  const response = await fetch(`${process.env.OPENAI_BASE_URL}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-session-id": session },
    body: JSON.stringify({ model, messages, tools }),
    signal,
  }).catch((error: Error) => {
    throw new AgentError(-32603, "Internal error", { details: error.message });
  });
  const text = await response.text().catch((error: Error) => {
    throw new AgentError(-32603, "Internal error", { details: `fetch failed: ${error.message}` });
  });
  const body = (text.startsWith("{") ? JSON.parse(text) : null) as {
    error?: { message: string; param?: string };
    choices: [{ message: Message }];
    usage: Completion["usage"];
  } | null;
  if (response.status === 401) throw new AgentError(-32000, "Authentication required");
  if (!response.ok || body === null)
    throw new AgentError(-32603, "Internal error", {
      details: `${response.status} ${body?.error?.param ?? ""} ${body?.error?.message ?? text}`,
    });
  return { message: body.choices[0].message, usage: body.usage };
}

async function run(session: string, call: Call, signal: AbortSignal): Promise<string> {
  const { name, arguments: given } = call.function;
  const input = JSON.parse(given) as { command?: string; path?: string; content?: string };
  const kind = { shell: "execute", write: "edit", read: "read" }[name] ?? "other";
  const toolCall = {
    toolCallId: call.id,
    title: input.command ?? `${name} ${input.path}`,
    kind,
    status: "pending",
    rawInput: input,
    ...(input.path !== undefined && { locations: [{ path: input.path }] }),
  };
  update(session, { sessionUpdate: "tool_call", ...toolCall });
  const result = (await mayRun(session, toolCall)) ? await done(input, signal) : "denied";
  update(session, {
    sessionUpdate: "tool_call_update",
    toolCallId: call.id,
    status: "completed",
    rawOutput: { output: result },
  });
  return result;
}

async function mayRun(sessionId: string, toolCall: object): Promise<boolean> {
  if (options.acts || mode === "yolo") return true;
  const { promise, resolve } = Promise.withResolvers<Params>();
  requests += 1;
  waiting.set(`ask-${requests}`, resolve);
  send({
    id: `ask-${requests}`,
    method: "session/request_permission",
    params: {
      sessionId,
      toolCall,
      options: [
        { optionId: "always", name: "Always", kind: "allow_always" },
        { optionId: "yes", name: "Yes", kind: "allow_once" },
        { optionId: "no", name: "No", kind: "reject_once" },
      ],
    },
  });
  const { outcome } = await promise;
  return (outcome as { optionId?: string }).optionId === "yes";
}

async function done(
  { command, path, content }: { command?: string; path?: string; content?: string },
  signal: AbortSignal,
): Promise<string> {
  if (command === undefined) {
    if (content === undefined) return readFileSync(path!, "utf8");
    writeFileSync(path!, content);
    return "written";
  }
  const child = spawn("/bin/sh", ["-c", command], { stdio: ["ignore", "pipe", "inherit"], signal });
  child.on("error", () => {});
  const output = await textOfStream(child.stdout);
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  signal.throwIfAborted();
  return output;
}
