/** Our side of the Agent Client Protocol for one agent: says hello, opens its session, chooses in it, and sends a prompt. */

import type { AgentProcess } from "./agent-process.ts";
import { TurnFailure } from "./failure.ts";
import {
  type Initialized,
  type OpenResult,
  type PromptResult,
  protocolVersion,
} from "./protocol.ts";

/** What Reprise uses of an agent's abilities. */
export interface AgentAbilities {
  readonly loads: boolean;
  readonly resumes: boolean;
}

export interface Greeting extends AgentAbilities {
  /** As the agent names itself; null if it does not. */
  readonly name: string | null;
  readonly version: string | null;
  /** Its ways to log in. */
  readonly logins: readonly string[];
}

/** Neither files nor terminals are offered: the agent uses its own. */
const clientCapabilities = { fs: { readTextFile: false, writeTextFile: false }, terminal: false };

export async function greet({ connection }: AgentProcess): Promise<Greeting> {
  const said = await connection.request<Initialized>("initialize", {
    protocolVersion,
    clientCapabilities,
    clientInfo: { name: "reprise", version: "1" },
  });
  if (said.protocolVersion !== protocolVersion)
    throw new TurnFailure({
      kind: "request",
      message: `the agent speaks version ${said.protocolVersion} of the Agent Client Protocol, not ${protocolVersion}`,
      hint: "Use a version of the agent that speaks this one; the session is kept.",
    });
  const { agentInfo, agentCapabilities, authMethods } = said;
  return {
    name: word(agentInfo?.name),
    version: word(agentInfo?.version),
    loads: agentCapabilities?.loadSession === true,
    // An ability is there if its key is, as in `resume: {}`.
    resumes: (agentCapabilities?.sessionCapabilities?.resume ?? null) !== null,
    logins: (authMethods ?? []).flatMap(({ id }) => word(id) ?? []),
  };
}

export function authenticate({ connection }: AgentProcess, methodId: string): Promise<unknown> {
  return connection.request("authenticate", { methodId });
}

export interface AgentSession {
  readonly id: string;
  readonly opened: OpenResult;
}

export async function newSession(agent: AgentProcess, cwd: string): Promise<AgentSession> {
  const params = { cwd, mcpServers: [] };
  const opened = await agent.connection.request<OpenResult>("session/new", params);
  const id = word(opened.sessionId);
  if (id !== null) return { id, opened };
  throw new TurnFailure({ kind: "unknown", message: "the agent gave no id to the new session" });
}

/** With `session/load` the agent replays the session, so that it can be checked. */
export async function continueSession(
  agent: AgentProcess,
  { loads }: AgentAbilities,
  id: string,
  cwd: string,
): Promise<AgentSession> {
  const method = loads ? "session/load" : "session/resume";
  const params = { sessionId: id, cwd, mcpServers: [] };
  const opened = await agent.connection.request<OpenResult>(method, params);
  // Neither method returns an id; an agent that does names the session that it really continues.
  return { id: word(opened.sessionId) ?? id, opened };
}

export function sendPrompt(agent: AgentProcess, sessionId: string, text: string) {
  const prompt = [{ type: "text", text }];
  return agent.connection.request<PromptResult>("session/prompt", { sessionId, prompt });
}

export function cancelPrompt(agent: AgentProcess, sessionId: string): void {
  agent.connection.notify("session/cancel", { sessionId });
}

function word(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
