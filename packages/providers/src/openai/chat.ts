/**
 * The bridge between Reprise and a Chat Completions service: a program for one turn, or for one compaction, whose focus
 * it reads instead of a prompt. It reads the prompt from standard input, prints events as JSON lines, and keeps the conversation in a state file, which it writes only when
 * the answer is complete: a turn that fails leaves nothing behind.
 */

import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";
import type { JsonSchema } from "@reprise/core/session/turn";
import type { Failure } from "../provider.ts";
import { type ChatService, Unanswered } from "./ask.ts";
import { summarize } from "./compaction.ts";
import { type ChatEvent, exchange } from "./exchange.ts";
import { loginHint } from "./failure.ts";
import { parameterValue } from "./parameters.ts";
import type { RequestOptions } from "./request.ts";
import { keyVariable } from "./settings.ts";
import { type ConversationState, parseState } from "./state.ts";
import { readStateFile, writeStateFile } from "./state-file.ts";

type Line =
  | ChatEvent
  | { readonly type: "session"; readonly id: string }
  | { readonly type: "result"; readonly text: string }
  | { readonly type: "failure"; readonly failure: Failure };

interface Conversation {
  readonly state: ConversationState;
  /** The file as it was read; null for a new one. */
  readonly before: Buffer | null;
}

const flags = readFlags();
const key = process.env[keyVariable] || undefined;
process.exitCode = await run();

async function run(): Promise<number> {
  try {
    const prompt = await text(process.stdin);
    const { state, before } = openConversation();
    print({ type: "session", id: flags.id });
    const { messages } = state;
    if (flags.compact) {
      const focus = prompt.trim() === "" ? null : prompt;
      const summary = await summarize(service(), messages, focus, await options(), print);
      save({ state, before }, [summary]);
      print({ type: "result", text: summary.content });
      return 0;
    }
    const { added, answer } = await exchange(service(), messages, prompt, await options(), print);
    // Without an answer the turn has failed, and the conversation stays as it was.
    if (answer !== "") save({ state, before }, [...messages, ...added]);
    print({ type: "result", text: answer });
    return 0;
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    print({ type: "failure", failure: error.failure });
    return 1;
  }
}

/** @throws Unanswered for one that is not there, or cannot be used. */
function openConversation(): Conversation {
  const { home, id, resumes } = flags;
  const before = readStateFile(home, id);
  if (!resumes && before !== null)
    throw new Unanswered({ kind: "in-use", message: `there is a conversation ${id} already` });
  if (!resumes) return { state: { id, messages: [] }, before };
  const missing = (message: string) => new Unanswered({ kind: "missing", message });
  if (before === null) throw missing(`there is no conversation ${id}`);
  const state = parseState(before);
  if (state === "newer")
    throw new Unanswered({
      kind: "request",
      message: `the conversation ${id} was written by a later version of Reprise`,
      hint: "Update Reprise, then send again; the session is kept.",
    });
  if (state === "damaged" || state.id !== id) throw missing(`the conversation ${id} is damaged`);
  return { state, before };
}

function save({ state, before }: Conversation, messages: ConversationState["messages"]): void {
  if (writeStateFile(flags.home, { ...state, messages }, before)) return;
  throw new Unanswered({
    kind: "writer",
    message: `another process continued the conversation ${flags.id} in the meantime`,
  });
}

/** @throws Unanswered when the service is known to need a key, and there is none. */
function service(): ChatService {
  const { address, id } = flags;
  if (key === undefined && new URL(address).hostname === "api.openai.com")
    throw new Unanswered({
      kind: "login",
      message: `${keyVariable} is not set`,
      hint: loginHint,
    });
  return { address, key, session: id };
}

/** @throws Unanswered when no model is named. */
async function options(): Promise<RequestOptions> {
  const { model, contextTokens, parameters } = flags;
  if (model === undefined)
    throw new Unanswered({
      kind: "request",
      message: "no model was named",
      hint: "Name one with the agent's model or its setting model, or for this call, then send again; the session is kept.",
    });
  return { model, contextTokens, parameters, ...(await schemaOptions()) };
}

async function schemaOptions(): Promise<Pick<RequestOptions, "schema" | "schemaRequest">> {
  if (flags.schema === undefined) return { schema: null, schemaRequest: null };
  const schema = JSON.parse(readFileSync(flags.schema, "utf8")) as JsonSchema;
  if (!flags.schemaInPrompt) return { schema, schemaRequest: null };
  // Only here, because it comes with the checks of schemas, which take long to load.
  const { schemaInstructions } = await import("@reprise/core/prompt/structured-output");
  return { schema: null, schemaRequest: schemaInstructions(schema) };
}

/** A service may repeat the key in an error. */
function print(line: Line): void {
  const said = JSON.stringify(line);
  process.stdout.write(`${key === undefined ? said : said.replaceAll(key, "[redacted]")}\n`);
}

function readFlags() {
  const { values } = parseArgs({
    options: {
      home: { type: "string" },
      "session-id": { type: "string" },
      resume: { type: "string" },
      "base-url": { type: "string" },
      model: { type: "string" },
      "context-tokens": { type: "string" },
      schema: { type: "string" },
      "schema-in-prompt": { type: "boolean", default: false },
      param: { type: "string", multiple: true, default: [] },
      compact: { type: "boolean", default: false },
    },
  });
  const { home, resume, model, schema } = values;
  const id = resume ?? values["session-id"];
  const address = values["base-url"];
  if (home === undefined || id === undefined || address === undefined)
    throw new Error("The bridge needs a home, an address and the id of a conversation.");
  return {
    home,
    id,
    resumes: resume !== undefined,
    address,
    model,
    contextTokens: values["context-tokens"] === undefined ? null : Number(values["context-tokens"]),
    schema,
    schemaInPrompt: values["schema-in-prompt"],
    compact: values.compact,
    parameters: Object.fromEntries(
      values.param.map((given) => {
        const [name = "", ...value] = given.split("=");
        return [name, parameterValue(value.join("="))];
      }),
    ),
  };
}
