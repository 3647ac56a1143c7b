/**
 * An agent node: one turn of its session, and up to two more if the answer does not conform to its schema.
 * The run knows the id of every turn before it is opened, so a later owner of the run finds the turn,
 * adopts its agent if that is running, and takes its answer.
 */

import { FencedError, RepriseError, StoreError } from "@reprise/core/errors/errors";
import { finishPrompt } from "@reprise/core/prompt/finish";
import { askAgain } from "@reprise/core/prompt/structured-output";
import type { SessionKey } from "@reprise/core/session/key";
import { defaultBusy } from "@reprise/core/session/policy";
import { openStatuses, type Turn } from "@reprise/core/session/turn";
import { readSessionSettings } from "@reprise/core/settings/settings";
import { budgetSettings } from "@reprise/workflow/budget-settings";
import type { AgentWork } from "@reprise/workflow/run/command";
import { newId } from "../../engine.ts";
import { checkAnswer } from "../../thread/reading.ts";
import { driveTurn, type OpenedTurn, openTurn } from "../../turn/acquire.ts";
import { answered, unanswered, unchecked, unfit } from "./agent-end.ts";
import { cancelled, failed } from "./failed.ts";
import { historyOutput } from "./history-output.ts";
import { accessOfNode } from "./node-access.ts";
import { isItself, nodeTurn } from "./node-agent.ts";
import { folderOf, readySession } from "./node-session.ts";
import { checkOwner, usedBy } from "./session-owner.ts";
import type { WorkContext, WorkEnd } from "./work.ts";

/** How often the agent is asked again for an answer that conforms to the schema. */
const maxRepeats = 2;

export async function runAgent(context: WorkContext, work: AgentWork): Promise<WorkEnd> {
  try {
    return await takeTurns(context, work);
  } catch (error) {
    if (context.leave.aborted) return { type: "left" };
    // Not a failure of the node: the next owner continues.
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
    const opened = known === null ? await open(context, work, id, prompt) : null;
    const turn = await driveTurn(engine, opened?.claimed ?? id, context);
    if (turn === null) throw new Error(`Turn ${id} is gone.`);
    turns.push(turn);
    if (turn.status === "waiting") return { type: "waiting", turn: id };
    if (openStatuses.includes(turn.status)) return { type: "left" };
    if (turn.status !== "done") return unanswered(turns, launches(turn) > launches(known));
    if (node.outputSchema === null)
      return answered(node, turns, null, await historyOutput(engine, work));
    const read = await checkAnswer(turn.output ?? "", node.outputSchema).catch(toError);
    if (read instanceof RepriseError) return unchecked(turns, read);
    if ("value" in read)
      return answered(node, turns, read.value, await historyOutput(engine, work));
    if (index === maxRepeats) return unfit(turns, read.problems.join("; "));
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

/** Opens the turn; its request has everything that any process needs to drive it. */
async function open(
  context: WorkContext,
  work: AgentWork,
  id: string,
  prompt: string,
): Promise<OpenedTurn> {
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
  // A new key begins as its mode and surface say; an existing one continues in any case.
  const continues = exists && node.mode !== "inherit_resume" && !isItself(node);
  const isAgents = session.key === `agent:${node.agentId}`;
  const isFirst = exists && context.continuity && !(await usedBy(engine, run, session.key));
  // The session's budget is set before its first turn is decided.
  const budget = session.how === "begin" ? readSessionSettings(budgetSettings(node)) : {};
  return openTurn(engine, {
    id,
    agent,
    ...(Object.keys(budget).length > 0 && { settings: budget }),
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
      ...(context.within !== null && { within: context.within }),
    },
  });
}

/**
 * The node's last turn was interrupted after a tool ran, or may have run: ask the agent to finish it instead
 * of sending the prompt again, unless the node has `onInterrupted: rerun`.
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
