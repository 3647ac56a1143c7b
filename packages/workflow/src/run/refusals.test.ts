import { describe, expect, test } from "vitest";
import { load } from "../load.ts";
import { type Play, play } from "./test-run.ts";

/** A run of a file in the short form; without errors in it. */
function started(steps: string, more = ""): Play {
  const { graph, findings } = load(`name: t\nsteps:\n${steps}${more}`);
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  return play(graph!);
}

const ids = (run: Play) => run.startedIds;

describe("after a gate's no", () => {
  test.each([
    [
      "an output of the workflow",
      "  push: { needs: g, shell: push }\n",
      "outputs: { d: g.choice }\n",
    ],
    [
      "another step that mentions the comment",
      "  push: { needs: g, shell: push }\n  note: { shell: 'echo {{ g.comment }}' }\n",
      "",
    ],
    ["a template alone", "  push: { shell: 'push {{ g.comment }}' }\n", ""],
    ["an input", "  push: { inputs: { how: g.approved }, function: 'return {}' }\n", ""],
    ["a form's field", "  push: { shell: 'push {{ g.version }}' }\n", ""],
    [
      "a branch that does not lead there",
      "  b: { branch: g }\n  push: { needs: g, shell: push }\n  tell: { needs: b.false, shell: tell }\n",
      "",
    ],
    [
      "through a step",
      "  mid: { needs: g, shell: mid }\n  push: { needs: mid, shell: push }\n",
      "",
    ],
    [
      "a loop",
      "  push: { loop: { until: t, max: 2, steps: { t: { shell: 't {{ g.by }}' } } } }\n",
      "",
    ],
  ])("W1: nothing behind it runs, whatever else reads it: %s", (_, steps, more) => {
    const run = started(
      `  g: { gate: { title: Push?, fields: [{ name: version }] } }\n${steps}`,
      more,
    );
    run.answer("g", "reject", { comment: "not yet" });
    for (const id of [...run.state.active]) run.done(id);
    expect(run.execution("push").status).toBe("skipped");
    expect(ids(run).filter((id) => !id.startsWith("tell"))).toEqual([]);
    const isRead = steps.includes("branch:");
    expect(run.status).toBe(isRead ? "done" : "rejected");
  });

  test("W1: the run is rejected, says by whom and why, and its outputs tell the choice", () => {
    const run = started(
      "  g: { gate: Push? }\n  push: { needs: g, shell: push }\n",
      "outputs: { decision: g.choice, text: g.output }\n",
    ).answer("g", "reject", { comment: "not yet" });
    expect(run.state).toMatchObject({
      status: "rejected",
      outputs: { decision: "reject" },
      error: {
        code: "rejected",
        message: 'Gate "g" was answered with "reject" by ann: not yet',
      },
    });
    expect(run.state.outputs).not.toHaveProperty("text");
    expect(run.execution("push").because).toBe("g was answered with reject.");
  });

  test("W1: what is behind the outcome of a condition may read all of the answer", () => {
    const run = started(`  g: { gate: Push? }
  b: { branch: g.approved }
  push: { needs: b.true, shell: 'push {{ g.comment }}' }
  tell: { needs: b.false, shell: 'tell {{ g.comment }}' }
  after: { needs: tell, shell: 'after {{ g.by }}' }
  ends: { join: [push, after] }
  last: { needs: [ends, g], shell: last }
`).answer("g", "reject", { comment: "no" });
    run.done("tell").done("after");
    expect(ids(run)).toEqual(["tell", "after"]);
    expect(run.statuses).toMatchObject({ push: "skipped", ends: "done", last: "skipped" });
    expect(run.status).toBe("done");
  });

  test("W1: a condition that is skipped itself has read nothing", () => {
    const run = started(`  pre: { shell: pre, onError: skip }
  g: { gate: Push? }
  b: { needs: pre, branch: g }
`);
    run.fail("pre").answer("g", "reject");
    expect(run.status).toBe("rejected");
  });

  test("W1: onReject as written: continue keeps all edges alive, fail fails the run", () => {
    const run = (how: string) =>
      started(
        `  g: { gate: { title: Push?, onReject: ${how} } }\n  push: { needs: g, shell: push }\n`,
      ).answer("g", "reject");
    expect(ids(run("continue"))).toEqual(["push"]);
    expect(run("skip").status).toBe("rejected");
    expect(run("fail").status).toBe("failed");
    expect(ids(run("fail"))).toEqual([]);
  });

  test("W1: a deadline that rejects stops what is behind it, too", () => {
    const run = started(
      "  g: { gate: { title: Push?, deadline: 1d, onDeadline: reject } }\n  push: { needs: g, shell: 'p {{ g.comment }}' }\n",
    ).happen({ type: "gate.expired", execution: "g", item: "item-1" });
    expect(ids(run)).toEqual([]);
    expect(run.state).toMatchObject({
      status: "rejected",
      error: { message: 'Gate "g" was answered with "reject" by its deadline.' },
    });
  });

  test("W1: rerun asks the gate again, and continues after its yes", () => {
    const run = started(
      "  g: { gate: Push? }\n  push: { needs: g, shell: push }\n",
      "outputs: { decision: g.choice }\n",
    ).answer("g", "reject");
    run.happen({ type: "run.rerun", from: { what: "failed" }, by: null });
    expect(run.status).toBe("waiting");
    run.answer("g~1", "approve").done("push~1");
    expect(run.state).toMatchObject({ status: "done", outputs: { decision: "approve" } });
  });
});

describe("after a failure", () => {
  test("W2: nothing behind it runs, and the run fails, whatever else reads it", () => {
    for (const [steps, more] of [
      ["", "outputs: { ok: tests.success }\n"],
      ["  note: { inputs: { ok: tests.success }, function: 'return {}' }\n", ""],
      ["  note: { shell: 'echo {{ tests.error }}' }\n", ""],
    ] as const) {
      const run = started(
        `  tests: { shell: test }\n  deploy: { needs: tests, shell: deploy }\n${steps}`,
        more,
      ).fail("tests");
      expect(ids(run)).toEqual(["tests"]);
      expect(run.status).toBe("failed");
    }
  });

  test("W2: a condition that reads it lets its own outcome run, and nothing else", () => {
    const run = started(`  tests: { shell: test }
  b: { branch: tests }
  deploy: { needs: tests, shell: deploy }
  ship: { needs: b.true, shell: ship }
  tell: { needs: b.false, shell: 'tell {{ tests.stderr }}' }
`).fail("tests", { outputs: { stderr: "line 3" } });
    expect(ids(run)).toEqual(["tests", "tell"]);
    expect(run.work("tell")).toMatchObject({ env: { REPRISE_VALUE_1: "line 3" } });
    expect(run.done("tell").status).toBe("done");
    expect(run.statuses).toMatchObject({ deploy: "skipped", ship: "skipped" });
  });

  test("W2: where the only condition is skipped, the run fails in the end", () => {
    const run = started(`  pre: { shell: pre, onError: skip }
  tests: { shell: test }
  b: { needs: pre, branch: tests }
`);
    run.fail("pre").fail("tests");
    expect(run.state).toMatchObject({ status: "failed", error: { code: "broken" } });
    run.happen({ type: "run.rerun", from: { what: "failed" }, by: null });
    expect(run.startedIds).toEqual(["pre", "tests", "pre#2", "tests#2"]);
  });

  test("W2: a retry gate that was never passed stops what needs it", () => {
    const retried = (onMaximum: string) => {
      const run = started(`  tests: { shell: test }
  gate: { retry-gate: { target: tests, checks: tests, max: 1${onMaximum} } }
  deploy: { needs: gate, shell: deploy }
`);
      return run.fail("tests").fail("tests~1");
    };
    const run = retried("");
    expect(ids(run)).toEqual(["tests", "tests~1"]);
    expect(run.state).toMatchObject({
      status: "rejected",
      error: { code: "retries-used-up" },
    });
    expect(ids(retried(", onMaximum: done"))).toContain("deploy");
    expect(retried(", onMaximum: fail").status).toBe("failed");
  });

  test("W2: a branch on passed may read a retry gate that was not passed", () => {
    const run = started(`  tests: { shell: test }
  gate: { retry-gate: { target: tests, checks: tests, max: 0 } }
  b: { branch: gate }
  tell: { needs: b.false, shell: tell }
  deploy: { needs: gate, shell: deploy }
`).fail("tests");
    expect(ids(run)).toEqual(["tests", "tell"]);
    expect(run.done("tell").status).toBe("done");
  });

  test("W2: a loop at its maximum has failed, unless onMaximum: done is written", () => {
    const looped = (more: string) => {
      const run = started(`  review:
    loop: { until: t.ok, max: 1, ${more}steps: { t: { function: "return {}", returns: { ok: boolean } } } }
  deploy: { needs: review, shell: deploy }
`);
      return run.done("review/1/t", { ok: false });
    };
    const run = looped("");
    expect(run.state).toMatchObject({ status: "failed", error: { code: "maximum-reached" } });
    expect(ids(looped("onMaximum: done, "))).toEqual(["review/1/t", "deploy"]);
  });

  test("W2: a branch on ended reads a loop at its maximum", () => {
    const run = started(`  review:
    loop: { until: t.ok, max: 1, steps: { t: { function: "return {}", returns: { ok: boolean } } } }
  b: { branch: { value: review.ended, equals: condition } }
  deploy: { needs: b.true, shell: deploy }
  tell: { needs: b.false, shell: tell }
`).done("review/1/t", { ok: false });
    expect(ids(run)).toEqual(["review/1/t", "tell"]);
    expect(run.done("tell").status).toBe("done");
  });
});

describe("in a loop", () => {
  const loop = (inside: string, after: string) =>
    started(`  work:
    loop:
      until: t.ok
      max: 3
      steps:
        t: { function: "return {}", returns: { ok: boolean } }
${inside}${after}`);

  test("W1: a no that no condition reads ends the loop, and the run is rejected", () => {
    const run = loop(
      "        g: { gate: Fine? }\n",
      "  push: { needs: work, shell: push }\n  other: { shell: 'o {{ g.comment }}' }\n",
    );
    run.done("work/1/t", { ok: false }).answer("work/1/g", "reject");
    expect(run.execution("work").outputs).toMatchObject({ ended: "rejected", iterations: 1 });
    expect(ids(run)).toEqual(["work/1/t"]);
    expect(run.state).toMatchObject({ status: "rejected", error: { code: "rejected" } });
    run.happen({ type: "run.rerun", from: { what: "failed" }, by: null });
    expect(run.status).toBe("waiting");
    run.answer("work/1/g~1", "approve");
    expect(ids(run)).toEqual(["work/1/t", "work/2/t"]);
  });

  test("W1: a branch on ended reads it", () => {
    const run = loop(
      "        g: { gate: Fine? }\n",
      "  b: { branch: { value: work.ended, equals: condition } }\n  tell: { needs: b.false, shell: t }\n  push: { needs: work, shell: push }\n",
    );
    run.done("work/1/t", { ok: true }).answer("work/1/g", "reject");
    expect(ids(run)).toEqual(["work/1/t", "tell"]);
    expect(run.done("tell").status).toBe("done");
  });

  test("W1: what needs a gate inside is stopped, also when the loop ended by its condition", () => {
    const run = started(`  ask:
    loop: { continue: g.approved, max: 3, steps: { g: { gate: More? } } }
  push: { needs: g, shell: push }
  name: { shell: 'name {{ g.comment }}' }
  b: { branch: g.approved }
  tell: { needs: b.false, shell: 'tell {{ g.comment }}' }
`);
    run.answer("ask/1/g", "approve").answer("ask/2/g", "reject", { comment: "enough" });
    expect(run.execution("ask").outputs.ended).toBe("condition");
    expect(ids(run)).toEqual(["tell"]);
    expect(run.work("tell")).toMatchObject({ env: { REPRISE_VALUE_1: "enough" } });
  });

  test("W1: the comment of a no reaches the agent in the next iteration", () => {
    const run = started(`  review:
    loop:
      until: g.approved
      max: 2
      steps:
        coder: { agent: scripted, prompt: Do it. }
        g: { needs: coder, gate: Fine? }
  push: { needs: review, shell: push }
`);
    run.done("review/1/coder").answer("review/1/g", "reject", { comment: "Shorter." });
    expect(run.agentWork("review/2/coder").prompt).toContain("Shorter.");
    run.done("review/2/coder").answer("review/2/g", "reject");
    expect(run.status).toBe("failed");
    expect(ids(run)).not.toContain("push");
  });

  test("W2: a failure that no condition reads fails the loop", () => {
    const run = loop("        x: { shell: x }\n", "  push: { needs: work, shell: push }\n");
    run.done("work/1/t", { ok: true }).fail("work/1/x");
    expect(run.status).toBe("failed");
  });
});

describe("the feedback of a loop", () => {
  const review = (steps: string, judge = "until: tests") =>
    `  review:\n    loop:\n      ${judge}\n      max: 3\n      steps:\n${steps}`;
  const coder = '        coder: { MOREagent: scripted, prompt: "Do it." }\n';
  const tests = "        tests: { needs: coder, shell: npm test }\n";

  test.each([
    ["nothing before the coder", coder.replace("MORE", "") + tests],
    [
      "a step before it",
      `        setup: { shell: npm ci }\n${coder.replace("MORE", "needs: setup, ")}${tests}`,
    ],
    [
      "steps between it and the condition",
      `        setup: { shell: npm ci }\n${coder.replace("MORE", "needs: setup, ")}        build: { needs: coder, shell: make }\n        tests: { needs: build, shell: npm test }\n`,
    ],
    [
      "another agent before it",
      `        plan: { agent: scripted, prompt: Plan. }\n${coder.replace("MORE", "needs: plan, ")}${tests}`,
    ],
  ])("W5: goes to the coder, which keeps its session: %s", (_, steps) => {
    const run = started(review(steps));
    const round = (n: number) => {
      for (const node of ["setup", "plan", "coder", "build"]) {
        const id = `review/${n}/${node}`;
        if (run.state.executions.get(id)?.status === "running") run.done(id, { output: node });
      }
    };
    round(1);
    run.fail("review/1/tests", { outputs: { output: "line 3 is wrong" } });
    round(2);
    expect(run.agentWork("review/2/coder").prompt).toContain("line 3 is wrong");
    expect(run.agentWork("review/2/coder").prompt).not.toContain("Do it.");
    expect(run.key("review/2/coder")).toBe(run.key("review/1/coder"));
    expect(run.agentWork("review/2/coder").session.how).toBe("continue");
  });

  test("W5: a warning if no agent gets the feedback", () => {
    const reported = (steps: string, judge?: string) =>
      load(`name: t\nsteps:\n${review(steps, judge)}`)
        .findings.filter(({ code }) => code === "unread-feedback")
        .map(({ message }) => message);
    const plain = coder.replace("MORE", "");
    expect(reported(`${plain}        tests: { shell: npm test }\n`)).toEqual([
      'No agent gets the feedback of "tests", because it reads the output of no agent in the loop "review".',
    ]);
    expect(reported(plain + tests)).toEqual([]);
    expect(reported("        tests: { shell: npm test }\n")).toEqual([]);
    expect(
      reported(
        '        coder: { agent: scripted, prompt: "Do it. {{ tests.output }}" }\n        tests: { shell: npm test }\n',
      ),
    ).toEqual([]);
  });
});

describe("a join", () => {
  test("W3: goes by what it joins: neither the trigger nor needs make it run", () => {
    const run = started(
      `  ok: { shell: ok }
  x: { shell: 'x {{ inputs.task }}', onError: skip }
  z: { needs: x, shell: z }
  y: { needs: x, shell: y }
  k: { inputs: { t: inputs.task }, function: "return {}" }
  j: { needs: ok, join: [z, y] }
  after: { needs: j, shell: after }
`,
      "inputs: { task: { type: string, default: do } }\n",
    );
    run.done("ok").done("k").fail("x");
    expect(run.statuses).toMatchObject({ j: "skipped", after: "skipped" });
    expect(run.status).toBe("done");
  });

  test("W3: one input that is alive is enough, a rejected gate is none", () => {
    const run = started(`  g: { gate: Push? }
  a: { shell: a }
  j: { join: [g, a] }
  only: { join: [g.comment] }
  after: { needs: j, shell: after }
  never: { needs: only, shell: never }
`);
    run.answer("g", "reject").done("a", { output: "A" });
    expect(run.execution("j").outputs.values).toEqual({ a: "A" });
    expect(ids(run)).toEqual(["a", "after"]);
    expect(run.execution("only").status).toBe("skipped");
    run.done("after");
    expect(run.status).toBe("rejected");
  });
});

describe("the long form", () => {
  const file = (data: string, judge: string) =>
    load(
      `version: 3
metadata: { name: t }
nodes:
  - { id: l, type: loop, data: { nodeType: loop, maxIterations: 1, ${data}dockSlots: [{ name: stop, type: until }] } }
  - ${judge}
  - { id: after, type: shell, data: { nodeType: shell, script: after } }
edges:
  - { source: j, target: l, sourceHandle: "output:PORT", targetHandle: "dock:stop:input" }
  - { source: l, target: after, sourceHandle: "output:ended", targetHandle: wait }
`.replace("PORT", judge.includes("gate") ? "approved" : judge.includes("shell") ? "success" : "ok"),
    );
  const fn =
    "{ id: j, parentId: l, type: function, data: { nodeType: function, code: 'return {}', outputs: [{ name: ok, type: boolean }] } }";
  const gate = "{ id: j, parentId: l, type: gate, data: { nodeType: gate, title: Fine? } }";
  const shell = "{ id: j, parentId: l, type: shell, data: { nodeType: shell, script: t } }";
  const run = (data: string, judge: string) => play(file(data, judge).graph!);

  test("W2: ends a loop at its maximum normally, except where a no or a failure decided", () => {
    expect(ids(run("", fn).done("l/1/j", { ok: false }))).toContain("after");
    expect(run("", gate).answer("l/1/j", "reject").status).toBe("failed");
    expect(run("", shell).fail("l/1/j").status).toBe("failed");
    expect(ids(run("onMaximum: done, ", gate).answer("l/1/j", "reject"))).toEqual(["after"]);
    expect(run("onMaximum: fail, ", fn).done("l/1/j", { ok: false }).status).toBe("failed");
  });

  test("W2: the validator warns where something needs such a loop without reading ended", () => {
    const codes = (data: string) =>
      file(data, fn)
        .findings.filter(({ code }) => code === "maximum-passes")
        .map(({ message }) => message);
    expect(codes("")).toEqual([
      'Loop "l" also ends after 1 iteration without meeting its condition, and then "after" runs anyway.',
    ]);
    expect(codes("onMaximum: done, ")).toEqual([]);
    expect(codes("onMaximum: fail, ")).toEqual([]);
  });
});
