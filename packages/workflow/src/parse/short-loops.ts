/** The condition of a loop in the short form, and the feedback to its agents. */

import { loopFeedback } from "../run/prompt.ts";
import type { FileReading } from "./schema-check.ts";
import { conditionPort, feedbackPort } from "./short-outputs.ts";
import type { ShortStep } from "./short-steps.ts";
import type { Wiring } from "./short-wiring.ts";

type Loop = Extract<ShortStep, { kind: "loop" }>;
type Agent = Extract<ShortStep, { kind: "agent" }>;

export function wireLoop(wiring: Wiring, loop: Loop, reading: FileReading): void {
  const { outputs = {} } = loop.step.loop;
  for (const [name, text] of Object.entries(outputs)) {
    const path = [...loop.path, "loop", "outputs", name];
    const from = wiring.references.find(text, path);
    const target = { node: loop.id, handle: `output:${name}:internal` };
    if (from) wiring.lead(from, null, target, path);
  }
  const judge = wireCondition(wiring, loop, reading);
  const judged = judge ? judgedBy(wiring, loop, judge) : beginnersOf(wiring, loop);
  for (const agent of judged) {
    const { session, mode, session_type } = agent.step;
    const isOwn = session === undefined && mode !== "inherit_resume" && session_type === undefined;
    if (isOwn) wiring.keepSession(agent.id, agent.id);
    if (judge) tellBack(wiring, loop, judge, agent);
  }
  if (judge && judged.length === 0) tellUnread(wiring, loop, judge, reading);
}

/** The step that decides about the loop; null if there is none or it is unknown. */
function wireCondition(
  wiring: Wiring,
  loop: Loop,
  { source, report }: FileReading,
): ShortStep | null {
  const { until, continue: again } = loop.step.loop;
  const type = until === undefined ? "continue" : "until";
  const text = until ?? again;
  if (text === undefined) return null;
  const path = [...loop.path, "loop", type];
  const problem = (message: string, hint: string): null => {
    report.error("bad-condition", source.at(path), message, hint);
    return null;
  };
  if (until !== undefined && again !== undefined)
    return problem(
      `Loop "${loop.id}" has both until and continue.`,
      "Keep one: until ends the loop when it is true, continue when it is false.",
    );
  const from = wiring.references.find(text, path);
  if (!from) return null;
  if (from.to === "run" || !wiring.references.around(from.step).includes(loop))
    return problem(
      `"${text}" is not inside the loop "${loop.id}", so it is the same in every iteration.`,
      "Name an output of one of its steps.",
    );
  const port = from.port ?? conditionPort(from.step);
  if (port === null)
    return problem(
      `The condition of the loop "${loop.id}" names "${from.step.id}" but not which of its outputs.`,
      `Write ${type}: ${from.step.id}.<output>.`,
    );
  // The file says which way the condition goes, whatever the output is called.
  wiring.dock(loop.id, { name: type, type, strict: true });
  const target = { node: loop.id, handle: `dock:${type}:input` };
  wiring.lead({ ...from, port }, null, target, path);
  return from.step;
}

/** The agents of the loop whose output the condition's step reads, directly or through steps without an
 * agent: they get its feedback. What runs before them does not matter.
 */
function judgedBy(wiring: Wiring, loop: Loop, judge: ShortStep): Agent[] {
  const found = new Set<Agent>();
  const seen = new Set<ShortStep>([judge]);
  // The set grows while we iterate over it.
  for (const step of seen)
    for (const before of wiring.waits.get(step.id) ?? []) {
      if (!wiring.references.around(before).includes(loop)) continue;
      if (before.kind !== "agent") seen.add(before);
      else if (before.parent === loop.id) found.add(before);
    }
  // The only agent of a loop reviews its own work.
  const isOwn = judge.kind === "agent" && judge.parent === loop.id;
  return isOwn && agentsIn(wiring, loop).length === 1 ? [judge] : [...found];
}

function agentsIn({ references }: Wiring, loop: Loop): Agent[] {
  return [...references.steps.values()]
    .filter((step) => step.kind === "agent")
    .filter((step) => references.around(step).includes(loop));
}

/** The feedback of the condition's step would be lost, although there are agents that could use it. */
function tellUnread(
  wiring: Wiring,
  loop: Loop,
  judge: ShortStep,
  { source, report }: FileReading,
): void {
  const agents = agentsIn(wiring, loop);
  const isTold = agents.some(({ id }) => wiring.recalls.get(id)?.has(judge));
  const [agent] = agents;
  const port = feedbackPort(judge);
  if (!agent || isTold || port === null) return;
  const type = loop.step.loop.until === undefined ? "continue" : "until";
  report.warn(
    "unread-feedback",
    source.at([...loop.path, "loop", type]),
    `No agent gets the feedback of "${judge.id}", because it reads the output of no agent in the loop "${loop.id}".`,
    `Write needs: ${agent.id} in "${judge.id}", or {{ ${judge.id}.${port} }} in the prompt of an agent.`,
  );
}

/** The agents of the loop that wait for none of its steps. */
function beginnersOf(wiring: Wiring, loop: Loop): Agent[] {
  const isInside = (step: ShortStep) => wiring.references.around(step).includes(loop);
  return wiring.references
    .within(loop)
    .filter((step) => step.kind === "agent")
    .filter(({ id }) => ![...(wiring.waits.get(id) ?? [])].some(isInside));
}

function tellBack(wiring: Wiring, loop: Loop, judge: ShortStep, agent: Agent): void {
  if (wiring.recalls.get(agent.id)?.has(judge)) return;
  const port = feedbackPort(judge);
  // An agent that reviews itself knows what it said.
  if (port === null || (judge.id === agent.id && port === "output")) return;
  const path = agent.path;
  if (wiring.dock(loop.id, { name: "feedback", type: "feedback" }))
    wiring.lead(
      { to: "step", step: judge, port },
      null,
      { node: loop.id, handle: "dock:feedback:current" },
      path,
    );
  // Without its session the agent would not know what the feedback is about.
  const isNew = agent.step.session === false || agent.step.inputs?.prompt !== undefined;
  wiring.edge(
    { node: loop.id, handle: "dock:feedback:prev" },
    { node: agent.id, handle: `input:${isNew ? "feedback" : loopFeedback}` },
    path,
  );
}
