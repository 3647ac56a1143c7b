/** What can be chosen in a session: its model, and the mode in which the agent asks before it acts. */

import type { Access } from "@reprise/core/session/access";
import type { AgentProcess } from "./agent-process.ts";
import type { AgentSession } from "./client.ts";
import { TurnFailure } from "./failure.ts";
import type { ConfigValue, OpenResult } from "./protocol.ts";

interface Choice {
  readonly current: string | null;
  readonly values: readonly string[];
  /** The call that chooses a value. */
  readonly call: (value: string) => readonly [method: string, params: object];
}

/** @throws RpcError when the agent does not take it. */
export async function chooseModel(
  agent: AgentProcess,
  session: AgentSession,
  model: string,
): Promise<void> {
  const choice = configChoice(session.opened, "model") ?? modelChoice(session.opened);
  if (choice === null)
    throw new TurnFailure({
      kind: "request",
      message: `the agent offers no choice of its model, so it cannot use ${model}`,
      hint: "Set the model in the agent's own settings, and send without one; the session is kept.",
    });
  if (choice.current === model) return;
  await choose(agent, session, choice, model);
}

/** The modes of known agents in which they ask, the first that there is; with `full` access they may act in any. */
const askingModes: Readonly<Record<Access, readonly string[]>> = {
  read: ["read-only", "default"],
  edit: ["default", "auto"],
  full: [],
};

/** Returns the mode that it changed to; null if it changed nothing. */
export async function chooseAskingMode(
  agent: AgentProcess,
  session: AgentSession,
  access: Access,
): Promise<string | null> {
  const choice = modeChoice(session.opened) ?? configChoice(session.opened, "mode");
  const mode = askingModes[access].find((each) => choice?.values.includes(each));
  if (choice === null || mode === undefined || choice.current === mode) return null;
  await choose(agent, session, choice, mode);
  return mode;
}

/** The model that the session has; null if the agent does not say, or leaves it to another one. */
export function currentModel({ opened }: AgentSession): string | null {
  const choice = configChoice(opened, "model") ?? modelChoice(opened);
  return choice === null || choice.current === "auto" ? null : choice.current;
}

async function choose(
  { connection }: AgentProcess,
  { id }: AgentSession,
  { call }: Choice,
  value: string,
): Promise<void> {
  const [method, params] = call(value);
  await connection.request(method, { sessionId: id, ...params });
}

function configChoice({ configOptions }: OpenResult, category: string): Choice | null {
  const option = configOptions?.find((each) => each.category === category);
  if (!option) return null;
  return {
    current: word(option.currentValue),
    values: valuesIn(option.options ?? []),
    call: (value) => ["session/set_config_option", { configId: option.id, value }],
  };
}

function valuesIn(options: readonly ConfigValue[]): string[] {
  return options.flatMap(({ value, options: group }) =>
    group ? valuesIn(group) : (word(value) ?? []),
  );
}

function modelChoice({ models }: OpenResult): Choice | null {
  if (!models) return null;
  return {
    current: word(models.currentModelId),
    values: (models.availableModels ?? []).flatMap(({ modelId }) => word(modelId) ?? []),
    call: (modelId) => ["session/set_model", { modelId }],
  };
}

function modeChoice({ modes }: OpenResult): Choice | null {
  if (!modes) return null;
  return {
    current: word(modes.currentModeId),
    values: (modes.availableModes ?? []).flatMap(({ id }) => word(id) ?? []),
    call: (modeId) => ["session/set_mode", { modeId }],
  };
}

function word(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
