/**
 * Just enough of claude and of codex for a bench: a turn appends its records to the session's file and prints the
 * stream. The first turn of a session writes as many bytes as `BENCH_SESSION_BYTES` says.
 */

import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  fstatSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";

const [kind, ...args] = process.argv.slice(2);
const answer = "A line of an ordinary answer.";
const kinds = {
  claude: {
    version: "2.1.325 (Claude Code)",
    help: "  --print\n  --output-format\n  --resume\n  --session-id\n  --model",
    turn: claudeTurn,
  },
  codex: {
    version: "codex-cli 0.166.0",
    help: "[SESSION_ID]\n      --json\n  -m, --model <MODEL>",
    turn: codexTurn,
  },
};

const timestamp = new Date().toISOString();
const { version, help, turn } = kinds[kind as keyof typeof kinds];
if (args.includes("--version")) print(version);
else if (args.includes("--help")) print(help);
else turn();

function claudeTurn(): void {
  const id = optionValue("--resume") ?? optionValue("--session-id") ?? "";
  const file = join(process.env.CLAUDE_CONFIG_DIR ?? "", "projects/work", `${id}.jsonl`);
  let parent = lastMessage(file);
  append(file, (prompt) => {
    const entry = (role: "user" | "assistant", content: unknown) => {
      const uuid = randomUUID();
      const more = role === "assistant" ? { id: `msg_${uuid}`, model: "a-model" } : {};
      const message = { ...more, role, content };
      const line = {
        parentUuid: parent,
        isSidechain: false,
        type: role,
        message,
        uuid,
        timestamp,
        sessionId: id,
      };
      parent = uuid;
      return line;
    };
    const call = `toolu_${randomUUID()}`;
    const input = { file_path: "src/module.ts" };
    const asked = entry("user", prompt);
    return [
      asked,
      entry("assistant", [{ type: "tool_use", id: call, name: "Read", input }]),
      entry("user", [{ type: "tool_result", tool_use_id: call, content: listing() }]),
      entry("assistant", [{ type: "text", text: `${answer} ${prose()}` }]),
      { type: "last-prompt", lastPrompt: prompt, leafUuid: parent, sessionId: id },
    ];
  });
  print({
    type: "system",
    subtype: "init",
    session_id: id,
    model: "a-model",
    claude_code_version: "2.1.325",
  });
  print({
    type: "assistant",
    message: { content: [{ type: "text", text: answer }] },
    session_id: id,
  });
  print({ type: "result", subtype: "success", is_error: false, result: answer, session_id: id });
}

/** The one that the last line names; null in a new session. */
function lastMessage(file: string): string | null {
  if (!existsSync(file)) return null;
  const tail = Buffer.alloc(10_000);
  const opened = openSync(file, "r");
  readSync(opened, tail, 0, tail.length, fstatSync(opened).size - tail.length);
  closeSync(opened);
  return /"leafUuid":"([^"]+)"[^\n]*\n$/.exec(tail.toString())?.[1] ?? null;
}

function codexTurn(): void {
  const home = process.env.CODEX_HOME ?? "";
  const resumed = args[args.indexOf("resume") + 1];
  const id = args.includes("resume") ? (resumed ?? "") : newThread();
  const [found] = globSync(`sessions/*/*/*/rollout-*${id}.jsonl`, { cwd: home });
  const day = timestamp.slice(0, 10).replaceAll("-", "/");
  const name =
    found ?? `sessions/${day}/rollout-${timestamp.slice(0, 19).replaceAll(":", "-")}-${id}.jsonl`;
  const line = (type: string, payload: object) => ({ timestamp, type, payload });
  append(
    join(home, name),
    (prompt) => {
      const mark = { content_item_metadata: [{ provenance: { type: "user" } }] };
      const message = (role: string, text: string, more = {}) =>
        line("response_item", {
          type: "message",
          role,
          content: [{ type: "input_text", text }],
          ...more,
        });
      const call_id = `call_${randomUUID()}`;
      const arguments_ = JSON.stringify({ cmd: "sed -n 1,400p src/module.ts" });
      return [
        line("event_msg", { type: "task_started" }),
        message("user", prompt, { internal_chat_message_metadata_passthrough: mark }),
        line("response_item", {
          type: "function_call",
          name: "exec_command",
          arguments: arguments_,
          call_id,
        }),
        line("response_item", { type: "function_call_output", call_id, output: listing() }),
        message("assistant", `${answer} ${prose()}`),
        line("event_msg", {
          type: "token_count",
          info: { total_token_usage: { input_tokens: 1, output_tokens: 1 } },
        }),
        line("event_msg", { type: "task_complete" }),
      ];
    },
    line("session_meta", { id, timestamp, cwd: process.cwd(), cli_version: "0.166.0" }),
  );
  print({ type: "thread.started", thread_id: id });
  print({ type: "item.completed", item: { id: "item_0", type: "agent_message", text: answer } });
  print({
    type: "turn.completed",
    usage: { input_tokens: 1, cached_input_tokens: 0, output_tokens: 1 },
  });
}

/** Appends the records of this turn; to a new file, those of as many turns as it should have bytes. */
function append(file: string, turn: (prompt: string) => object[], first?: object): void {
  const prompt = readFileSync(0, "utf8");
  const isNew = !existsSync(file);
  mkdirSync(dirname(file), { recursive: true });
  const opened = openSync(file, "a");
  const write = (records: readonly object[]) =>
    writeSync(opened, records.map((record) => `${JSON.stringify(record)}\n`).join(""));
  if (isNew && first) write([first]);
  let size = isNew ? 0 : Infinity;
  while (size < Number(process.env.BENCH_SESSION_BYTES ?? 0))
    size += write(turn("continue with the next step"));
  write(turn(prompt));
  closeSync(opened);
}

/** What a tool read: some kilobytes, of which no two are equal. */
function listing(): string {
  return Array.from(
    { length: 20 + Math.floor(Math.random() * 200) },
    (_, line) => `${line + 1}\tconst value${Math.random().toString(36).slice(2)} = read(${line});`,
  ).join("\n");
}

function prose(): string {
  return Array.from({ length: 60 }, () => Math.random().toString(36).slice(2, 9)).join(" ");
}

/** Ids begin with their time. */
function newThread(): string {
  const time = Date.now().toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

function optionValue(option: string): string | undefined {
  return args.find((arg) => arg.startsWith(`${option}=`))?.slice(option.length + 1);
}

function print(line: object | string): void {
  console.log(typeof line === "string" ? line : JSON.stringify(line));
}
