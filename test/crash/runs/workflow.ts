/**
 * The workflow of the crash tests of runs: a loop whose coder keeps its session, beside it an agent, a
 * shell and a function, then a gate, then a retry gate whose target keeps its session as well. What each
 * part has to say is fixed, so that a run comes to the same outputs however often it was cut off.
 */

/** The scripted agent, with its ledger in the run's folder. */
export const agent = { agent: "scripted", settings: { home: "agent", script: "script.json" } };

/** Every script writes its execution into a ledger of its own, when it begins and when it ends. */
export const script = (work: string) =>
  `echo "began $REPRISE_NODE" >> shells; ${work}; echo "ended $REPRISE_NODE" >> shells`;

/** A workflow, and what its run comes to however often it was cut off. */
export interface Scenario {
  readonly source: string;
  readonly outputs: Readonly<Record<string, unknown>>;
  /** Every agent's turn, with how much its provider session knew before it. */
  readonly turns: Readonly<Record<string, number>>;
  readonly shells: readonly string[];
  readonly functions: readonly string[];
  /** Pairs of turns where the second continues the session of the first; all others have their own. */
  readonly continued: readonly (readonly [string, string])[];
}

const source = JSON.stringify({
  name: "Survives",
  outputs: {
    draft: "review.draft",
    iterations: "review.iterations",
    audit: "audit.output",
    size: "measure.output",
    sum: "add.sum",
    by: "approve.by",
    fixed: "fix.output",
    retries: "again.retry_count",
    published: "publish.output",
  },
  steps: {
    review: {
      loop: {
        until: "reviewer.approved",
        max: 3,
        outputs: { draft: "coder.output" },
        steps: {
          coder: { ...agent, prompt: "remember APPLE-739" },
          reviewer: {
            ...agent,
            prompt: "review number {{ iteration }}: {{ coder.output }}",
            returns: { approved: "boolean", feedback: "string" },
          },
        },
      },
    },
    audit: { ...agent, prompt: "echo audited" },
    measure: { shell: script("echo 42") },
    add: {
      inputs: { size: "measure.output" },
      function: "return { sum: Number(inputs.size) + 1 };",
      returns: { sum: "number" },
    },
    approve: { needs: ["review", "audit", "add"], gate: "Publish it?" },
    fix: { ...agent, inputs: { input: "approve.by" }, prompt: "how many turns?" },
    // Only the second round passes.
    test: { needs: "fix", shell: `${script("true")}; test "$REPRISE_NODE" = "test~1"` },
    again: { "retry-gate": { target: "fix", checks: "test.success", max: 2 } },
    publish: { needs: "again", shell: script("echo published") },
  },
});

const reviews = [1, 2].map((iteration) => ({
  when: { prompt: `review number ${iteration}` },
  do: [{ say: JSON.stringify({ approved: iteration === 2, feedback: "once more" }) }],
}));

/** The feedback is data to the agent, and no command; what it remembered before is judged by its ledger. */
const iteration = { when: { prompt: "once more" }, do: [{ say: "APPLE-739" }] };

export const rules = [...reviews, iteration];

export const survives: Scenario = {
  source,
  outputs: {
    draft: "APPLE-739",
    iterations: 2,
    audit: "audited",
    size: "42",
    sum: 43,
    by: "ann",
    fixed: "This is turn 2.",
    retries: 1,
    published: "published",
  },
  turns: {
    "review/1/coder": 0,
    "review/2/coder": 2,
    "review/1/reviewer": 0,
    "review/2/reviewer": 0,
    audit: 0,
    fix: 0,
    "fix~1": 2,
  },
  shells: ["measure", "publish", "test", "test~1"],
  functions: ["add"],
  continued: [
    ["review/1/coder", "review/2/coder"],
    ["fix", "fix~1"],
  ],
};
