/**
 * An agent node: one turn of its session, and up to two more when the answer does not fit its schema.
 * Every turn has an id that the run knew before it was opened, so whoever carries the run on finds it,
 * adopts what lives of it, and takes its answer.
 */

import { FencedError, RepriseError, StoreError } from "@reprise/core/errors/errors";
import { finishPrompt } from "@reprise/core/prompt/finish";
import { askAgain } from "@reprise/core/prompt/structured-output";
import type { SessionKey } from "@reprise/core/session/key";
import { defaultBusy } from "@reprise/core/session/policy";
import { openStatuses, type Turn } from "@reprise/core/session/turn";
import { readSessionSettings } from "@reprise/core/settings/session-settings";
import type { AgentWork } from "@reprise/core/workflow/run/command";
import { newId } from "../../ids.ts";
import { checkAnswer } from "../../thread/reading.ts";
import { driveTurn } from "../../turn/drive.ts";
import { openTurn } from "../../turn/send.ts";
import { answered, unanswered, unchecked, unfit } from "./agent-end.ts";
import { cancelled, failed } from "./failed.ts";
import { accessOfNode } from "./node-access.ts";
import { isItself, nodeTurn } from "./node-agent.ts";
import { budgetSettings, folderOf, readySession } from "./node-session.ts";
import { checkOwner, usedBy } from "./session-owner.ts";
import type { WorkContext, WorkEnd } from "./work.ts";

/** How often an agent is asked again whose answer does not fit. */
const maxAsked = 2;

export async function runAgent(context: WorkContext, work: AgentWork): Promise<WorkEnd> {
  try {
    return await takeTurns(context, work);
  } catch (error) {
    if (context.leave.aborted) return { type: "left" };
    // Nobody's failure: whoever comes next goes on.
    if (error instanceof StoreError || error instanceof FencedError) throw error;
    return failed(error, nothingFrom(work));
  }
}

/** The outputs of a node whose agent was not asked. */
function nothingFrom({ session }: AgentWork) {
  return { output: null, sessionId: session.key, structuredOutput: null, exitCode: null };
}

async function takeTurns(context: WorkContext, work: AgentWork): Promise<WorkEnd> {
  const { engine, execution, attempt, signal } = context;
  const { node } = work;
  const ids = [...context.turns];
  const turns: Turn[] = [];
  let prompt = work.prompt;
  for (let index = 0; ; index += 1) {
    const id = ids[index];
    if (id === undefined) throw new Error(`Execution ${execution} has no turn.`);
    const known = await engine.store.readTurn(id);
    if (known === null && signal.aborted) return cancelled(nothingFrom(work));
    if (known === null) await open(context, work, id, prompt);
    if (known === null || known.status === "queued") await setBudget(context, work);
    const turn = await driveTurn(engine, id, context);
    if (turn === null) throw new Error(`Turn ${id} is gone.`);
    turns.push(turn);
    if (turn.status === "waiting") return { type: "waiting", turn: id };
    if (openStatuses.includes(turn.status)) return { type: "left" };
    if (turn.status !== "done") return unanswered(turns, launches(turn) > launches(known));
    if (node.outputSchema === null) return answered(node, turns, null);
    const read = await checkAnswer(turn.output ?? "", node.outputSchema).catch(toError);
    if (read instanceof RepriseError) return unchecked(turns, read);
    if ("value" in read) return answered(node, turns, read.value);
    if (index === maxAsked) return unfit(turns, read.problems.join("; "));
    prompt = askAgain(read.problems);
    if (ids[index + 1] !== undefined) continue;
    const next = newId();
    await context.note({ type: "node.asked", execution, attempt, turn: next });
    ids.push(next);
  }
}

function toError(error: unknown): RepriseError {
  if (error instanceof RepriseError) return error;
  throw error;
}

function launches(turn: Turn | null): number {
  return turn?.attempts.filter(({ launch }) => launch !== null).length ?? 0;
}

/** Opens the turn, which says all that any process needs to carry it on. */
async function open(
  context: WorkContext,
  work: AgentWork,
  id: string,
  prompt: string,
): Promise<void> {
  const { engine, run, execution } = context;
  const { node, session } = work;
  await checkOwner(engine, run, work);
  const began = (await engine.store.readSession(session.key)) !== null;
  const from = began ? session.key : (session.fork ?? session.key);
  const turn = await nodeTurn(engine, node, { key: from, folder: context.folder });
  const { agent, setup, note } = turn;
  const folder = await folderOf(context, agent, work);
  const access = await accessOfNode(engine, node, agent.provider, context.access, agent);
  const exists = await readySession(engine, agent, work, folder);
  const finishes = await continuesCutOff(context, work);
  // A new key begins as its mode and surface say; all else continues, whatever they say.
  const continues = exists && node.mode !== "inherit_resume" && !isItself(node);
  const isAgents = session.key === `agent:${node.agentId}`;
  const isFirst = exists && context.continuity && !(await usedBy(engine, run, session.key));
  await openTurn(engine, {
    id,
    agent,
    busy: node.busy ?? defaultBusy("node", { manualRunOnLiveAgent: isAgents && context.manual }),
    request: {
      key: session.key as SessionKey,
      prompt: finishes ? finishPrompt : prompt,
      surface: "node",
      mode: node.mode,
      continuity: isFirst ? context.continuity : continues ? "resume" : null,
      folder,
      cwd: null,
      ...setup,
      instructions: [note, work.instructions].filter(Boolean).join("\n\n") || null,
      channel: null,
      timeout: node.timeout,
      outputSchema: node.outputSchema,
      finishes,
      ...access,
      origin: { run, execution },
    },
  });
}

/**
 * The node's last turn was interrupted after a tool ran, or may have: the agent is told to finish it, and its
 * prompt is not sent again, unless the node says `rerun`.
 */
async function continuesCutOff(
  { engine, run, execution }: WorkContext,
  { node, session }: AgentWork,
): Promise<boolean> {
  if (node.onInterrupted !== "continue") return false;
  const [last] = await engine.store.listTurns({ key: session.key, limit: 1 });
  const origin = last?.request.origin;
  if (last?.status !== "interrupted" || origin?.run !== run || origin.execution !== execution)
    return false;
  return last.attempts.at(-1)?.tools === true;
}

/** The session has its budget before its first turn is decided. */
async function setBudget({ engine }: WorkContext, { node, session }: AgentWork): Promise<void> {
  const settings = readSessionSettings(budgetSettings(node));
  if (session.how === "begin" && Object.keys(settings).length > 0)
    await engine.store.setSession({ key: session.key, settings, at: engine.now() });
}
