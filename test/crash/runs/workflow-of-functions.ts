/**
 * The workflow of the tests of a loss of power: functions one after the other, side by side and in a loop,
 * between scripts, agents and a gate. Nothing runs beside a function but other functions, so that a loss of
 * power cuts off nothing else. What each part has to say is fixed.
 */

import { agent, type Scenario, script } from "./workflow.ts";

export const ofFunctions: Scenario = {
  source: JSON.stringify({
    name: "Between functions",
    outputs: {
      size: "measure.output",
      text: "trim.text",
      draft: "review.draft",
      reviews: "review.iterations",
      counted: "count.iterations",
      fixed: "fix.output",
      published: "publish.output",
    },
    steps: {
      plan: { function: "return { size: 42 };", returns: { size: "number" } },
      left: {
        inputs: { size: "plan.size" },
        function: "return { half: inputs.size / 2 };",
        returns: { half: "number" },
      },
      right: {
        inputs: { size: "plan.size" },
        function: "return { half: inputs.size / 2 };",
        returns: { half: "number" },
      },
      sum: {
        inputs: { left: "left.half", right: "right.half" },
        function: "return { sum: inputs.left + inputs.right };",
        returns: { sum: "number" },
      },
      measure: { shell: script('echo "{{ sum.sum }} cm"') },
      shape: {
        inputs: { size: "measure.output" },
        function: "return { text: ' ' + inputs.size + ' ' };",
        returns: { text: "string" },
      },
      trim: {
        inputs: { text: "shape.text" },
        function: "return { text: inputs.text.trim() };",
        returns: { text: "string" },
      },
      review: {
        needs: "trim",
        loop: {
          until: "judge.enough",
          max: 3,
          outputs: { draft: "coder.output" },
          steps: {
            coder: { ...agent, prompt: "remember APPLE-739" },
            read: {
              inputs: { text: "coder.output" },
              function: "return { recalled: inputs.text === 'APPLE-739' };",
              returns: { recalled: "boolean" },
            },
            judge: {
              inputs: { enough: "read.recalled" },
              function: "return { enough: inputs.enough, feedback: 'once more' };",
              returns: { enough: "boolean", feedback: "string" },
            },
          },
        },
      },
      count: {
        needs: "review",
        loop: {
          until: "one.enough",
          max: 2,
          onMaximum: "done",
          steps: { one: { function: "return { enough: false };", returns: { enough: "boolean" } } },
        },
      },
      approve: { needs: "count", gate: "Publish it?" },
      greet: {
        inputs: { by: "approve.by" },
        function: "return { text: 'Hello, ' + inputs.by };",
        returns: { text: "string" },
      },
      sign: {
        inputs: { text: "greet.text" },
        function: "return { text: inputs.text + '!' };",
        returns: { text: "string" },
      },
      fix: { ...agent, needs: "sign", prompt: "how many turns?" },
      publish: { needs: "fix", shell: script('echo "{{ sign.text }}"') },
    },
  }),
  outputs: {
    size: "42 cm",
    text: "42 cm",
    draft: "APPLE-739",
    reviews: 2,
    counted: 2,
    fixed: "This is turn 1.",
    published: "Hello, ann!",
  },
  turns: { "review/1/coder": 0, "review/2/coder": 2, fix: 0 },
  shells: ["measure", "publish"],
  functions: [
    ...["plan", "left", "right", "sum", "shape", "trim", "greet", "sign"],
    ...["review/1/read", "review/1/judge", "review/2/read", "review/2/judge"],
    ...["count/1/one", "count/2/one"],
  ],
  continued: [["review/1/coder", "review/2/coder"]],
};
