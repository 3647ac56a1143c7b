import { expect, test } from "vitest";
import { edge, exampleAgent, graph, node } from "./check/example.ts";
import { render } from "./render.ts";

const inside = { parent: "review" };
const example = graph(
  [
    node("trigger", "start"),
    node("loop", "review", {
      maxIterations: 5,
      docks: [
        { name: "until", type: "until", keyed: false },
        { name: "last", type: "feedback", keyed: false },
        { name: "count", type: "iteration", keyed: false },
      ],
    }),
    exampleAgent("coder", { ...inside, session: { name: "coder", scope: "run" }, model: "small" }),
    node("shell", "check", inside),
    node("gate", "ship"),
    node("branch", "big"),
    node("output", "result"),
  ],
  [
    "start.text > review.task",
    "(review.task) > coder.prompt",
    "review#last > coder.input",
    "review# > coder.input",
    "coder > check",
    "check.success > review#until",
    "check.output > review#last",
    "coder.output > (review.result)",
    "review.result > ship.input",
    "ship.approved > big.value",
    "big.true > result",
    edge("ship.output > result.value", { back: true }),
  ],
);

test("as text: each loop with its nodes, and where each value comes from", () => {
  expect(render(example, "text")).toBe(`Example
├─ start     trigger, manual
├─ review    loop, until, at most 5 times  ← start.text  (until ← check.success, last ← check.output, result ← coder.output)
│  ├─ coder  agent, scripted, small, session coder  ← review.task, review.last of the last iteration, review.iteration
│  └─ check  shell  ← coder
├─ ship      approval, approve or reject  ← review.result
├─ big       branch  ← ship.approved
└─ result    output  ← big.true, ship.output (again)

Implied; any other failure fails the run:
  review  at its maximum: it is done
  coder   keeps the session coder; gets check.output as feedback
  check   on error: review reads it
  ship    on reject: big reads it
`);
});

test("for Mermaid: loops are subgraphs with a beginning and an end", () => {
  expect(render(example, "mermaid")).toBe(`flowchart TD
  n0(["start<br/>trigger, manual"])
  subgraph n1["review<br/>loop, until, at most 5 times"]
    n1_in(["begin"])
    n2["coder<br/>agent, scripted, small, session coder"]
    n3["check<br/>shell"]
    n1_dock0{{"until"}}
    n1_dock1{{"last #40;feedback#41;"}}
    n1_out(["end"])
  end
  n4[/"ship<br/>approval, approve or reject"/]
  n5{{"big<br/>branch"}}
  n6(["result<br/>output"])
  n0 -->|"text → task"| n1_in
  n1_in -->|"task → prompt"| n2
  n1_dock1 -.->|"previous → input"| n2
  n1_in -->|"iteration → input"| n2
  n2 --> n3
  n3 -->|"success"| n1_dock0
  n3 -->|"output"| n1_dock1
  n2 -->|"output → result"| n1_out
  n1_out -->|"result → input"| n4
  n4 -->|"approved → value"| n5
  n5 -->|"true"| n6
  n4 -.->|"output → value"| n6
`);
});

test("for Graphviz: loops are clusters", () => {
  const text = render(example, "dot");
  expect(text).toMatch(
    /^digraph "Example" \{\n {2}n0 \[shape=oval, label="start\\ntrigger, manual"\];\n/,
  );
  expect(text).toContain(
    '  subgraph cluster_n1 {\n    label="review\\nloop, until, at most 5 times";\n',
  );
  expect(text).toContain('  n1_dock1 -> n2 [label="previous → input", style=dashed];\n');
  expect(text).toContain("  n2 -> n3;\n");
  expect(text.endsWith("}\n")).toBe(true);
});

test("a name cannot leave its place", () => {
  const odd = { ...graph([node("output", "x", { name: 'a"]; evil[' })]), name: 'q"uote\\' };
  expect(render(odd, "mermaid")).toContain('"x<br/>output a#34;#93;#59; evil#91;"');
  expect(render(odd, "dot")).toContain('digraph "q\\"uote\\\\" {');
  expect(render(odd, "dot")).toContain('label="x\\noutput a\\"]; evil["');
});

test("an edge to nowhere is left out", () => {
  expect(render(graph([exampleAgent("a")], ["a.output > b.input"]), "dot")).not.toContain("->");
});
