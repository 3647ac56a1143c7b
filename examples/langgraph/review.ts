/**
 * A LangGraph.js graph that waits for a person, and whose agent continues in the same session afterwards.
 * The graph keeps its state in a checkpointer. Reprise keeps the agent's conversation under a key with the
 * thread's id, so the agent remembers it in whichever process the thread is resumed.
 *
 *     node review.ts
 */

import {
  Annotation,
  Command,
  END,
  interrupt,
  MemorySaver,
  START,
  StateGraph,
} from "@langchain/langgraph";
import { openReprise, type Reprise } from "reprise";

const State = Annotation.Root({
  subject: Annotation<string>,
  draft: Annotation<string>,
  verdict: Annotation<string>,
  /** How the agent's session continued in each of its turns. */
  outcomes: Annotation<string[]>({ reducer: (all, more) => [...all, ...more], default: () => [] }),
});
type State = typeof State.State;

/** A node that is one turn of the thread's session. */
function turnOf(reprise: Reprise, agent: string, prompt: (state: State) => string) {
  return async (state: State, { configurable }: { configurable?: { thread_id?: string } }) => {
    const session = reprise.session(`langgraph:${configurable?.thread_id}:${agent}`, { agent });
    const { decision, output, error } = await session.send(prompt(state));
    if (output === null) throw new Error(error?.message ?? "The agent gave no answer.");
    return { draft: output, outcomes: [decision?.outcome ?? "none"] };
  };
}

/** It does nothing else, because LangGraph runs an interrupted node again from its start. */
function askPerson({ draft }: State) {
  return { verdict: interrupt<string, string>(`Publish this?\n${draft}`) };
}

export function reviewGraph(reprise: Reprise, checkpointer: MemorySaver) {
  const write = turnOf(reprise, "author", ({ subject }) => `Draft a release note: ${subject}`);
  const revise = turnOf(reprise, "author", ({ verdict }) => `The editor says: ${verdict}`);
  return new StateGraph(State)
    .addNode("write", write)
    .addNode("ask", askPerson)
    .addNode("revise", revise)
    .addEdge(START, "write")
    .addEdge("write", "ask")
    .addConditionalEdges("ask", ({ verdict }) => (verdict === "publish" ? END : "revise"))
    .addEdge("revise", "ask")
    .compile({ checkpointer });
}

const reprise = await openReprise({ home: process.env.REPRISE_HOME ?? ".reprise" });
try {
  // For a real agent, use the provider "claude" or "codex" and no settings.
  const settings = {
    script: new URL("../scripts/weekend-approval.yaml", import.meta.url).pathname,
  };
  // The home keeps its agents, so the next start finds this one.
  const isThere = (await reprise.agents.list()).some(({ name }) => name === "author");
  if (!isThere) await reprise.agents.create({ name: "author", provider: "scripted", settings });

  const graph = reviewGraph(reprise, new MemorySaver());
  const thread = { configurable: { thread_id: "note-2.0" } };
  await graph.invoke({ subject: "version 2.0 reads YAML files" }, thread);
  await graph.invoke(new Command({ resume: "rework: shorter" }), thread);
  const { draft, outcomes } = await graph.invoke(new Command({ resume: "publish" }), thread);
  console.log(draft);
  console.log(outcomes.join(", "));
} finally {
  await reprise.close();
}
