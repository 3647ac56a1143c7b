/** LangGraph.js on its SqliteSaver: a node of the graph is a step, its checkpoint is what is kept of it. */

import { join } from "node:path";
import { Annotation, END, START, StateGraph } from "@langchain/langgraph";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Database from "better-sqlite3";
import {
  type Chains,
  type Counted,
  chainLength,
  type Opening,
  serve,
  timeChains,
} from "../runs/contender.ts";

/** `sync`: the checkpoint of a step is written before the next one begins. */
const durability = "sync" as const;

let database: Database.Database;
let chain: ReturnType<typeof compile>;

const State = Annotation.Root({ value: Annotation<number> });
type Chain = typeof State.State;

function compile(saver: SqliteSaver) {
  // Its types know the names of nodes that were added in one expression; these are added in a loop.
  const graph: StateGraph<typeof State.spec, Chain, Partial<Chain>, string> = new StateGraph(State);
  for (let step = 1; step <= chainLength; step += 1) {
    graph.addNode(`step${step}`, ({ value }: Chain) => ({ value: value + 1 }));
    graph.addEdge(step === 1 ? START : `step${step - 1}`, `step${step}`);
  }
  graph.addEdge(`step${chainLength}`, END);
  return graph.compile({ checkpointer: saver });
}

/** A loop of one node that adds `bytes` of text in every step: to what is there, or in its place. */
function compileGrowth(saver: SqliteSaver, steps: number, bytes: number, way: Growth["way"]) {
  const texts =
    way === "added"
      ? Annotation<string[]>({ reducer: (all, more) => all.concat(more), default: () => [] })
      : Annotation<string[]>;
  return new StateGraph(Annotation.Root({ step: Annotation<number>, texts }))
    .addNode("work", ({ step }) => ({
      step: step + 1,
      texts: [String(step).padEnd(bytes, ".")],
    }))
    .addEdge(START, "work")
    .addConditionalEdges("work", ({ step }) => (step < steps ? "work" : END))
    .compile({ checkpointer: saver });
}

interface Growth {
  readonly steps: number;
  readonly bytes: number;
  readonly way: "added" | "replaced";
}

serve({
  async open({ folder, synchronisation }: Opening) {
    database = new Database(join(folder, "langgraph.db"));
    database.pragma("journal_mode = WAL");
    database.pragma(`synchronous = ${synchronisation.toUpperCase()}`);
    chain = compile(new SqliteSaver(database));
  },

  chains: (chains: Chains) =>
    timeChains(chains, async (id) => {
      const config = { configurable: { thread_id: id }, durability };
      return (await chain.invoke({ value: 0 }, config)).value;
    }),

  async grow({ steps, bytes, way }: Growth) {
    const config = { configurable: { thread_id: way }, durability, recursionLimit: steps + 1 };
    const graph = compileGrowth(new SqliteSaver(database), steps, bytes, way);
    const { texts } = await graph.invoke({ step: 0 }, config);
    if (texts.length !== (way === "added" ? steps : 1)) throw new Error(`${texts.length} texts`);
  },

  /** The write to `value` by a task is the result of its step; the input of a chain belongs to no task. */
  async count(): Promise<Counted> {
    const sql = `SELECT count(DISTINCT thread_id) AS chains, count(*) AS rows,
        count(DISTINCT thread_id || ' ' || task_id) AS steps
      FROM writes WHERE channel = 'value' AND EXISTS (
        SELECT 1 FROM checkpoints WHERE checkpoints.thread_id = writes.thread_id
          AND checkpoints.parent_checkpoint_id = writes.checkpoint_id)
        AND checkpoint_id NOT IN (SELECT checkpoint_id FROM checkpoints WHERE parent_checkpoint_id IS NULL)`;
    return database.prepare(sql).get() as Counted;
  },

  async close() {
    database.close();
  },
});
