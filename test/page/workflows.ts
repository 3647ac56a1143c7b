/** Workflows that the page is tested with; the agent is the scripted one. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** A session that continues through a loop, is held at a gate, and continues after it. */
export const withGate = `
name: Gate
steps:
  practice:
    loop:
      until: check.enough
      max: 5
      steps:
        writer:
          agent: scripted
          session: writer
          prompt: |
            remember PLUM-7
            how many turns?
        check:
          inputs: { said: writer.output }
          function: 'return { enough: inputs.said.includes("turn 3") };'
          returns: { enough: boolean }
  approve: { needs: practice, gate: { title: May it tell?, message: "It said: {{ writer.output }}" } }
  tell:
    needs: approve
    agent: scripted
    session: writer
    prompt: what did I ask you to remember?
outputs: { remembered: tell.output }
`;

export const withForm = `
name: Form
steps:
  wishes:
    gate:
      title: What shall be ordered?
      fields:
        - { name: item, label: Item, type: string, required: true }
        - { name: amount, label: Amount, type: number, default: 2 }
        - { name: size, label: Size, type: choice, choices: [small, large], default: small }
      choices: [order, cancel]
  clerk:
    inputs: { item: wishes.item, amount: wishes.amount, size: wishes.size }
    function: 'return { receipt: [inputs.amount, inputs.size, inputs.item].join(" ") };'
    returns: { receipt: string }
outputs: { receipt: clerk.receipt }
`;

/** Fails until the file is there. */
export const failing = `
name: Failing
steps:
  first: { shell: "true" }
  second: { needs: first, shell: "test -e ready" }
  third: { needs: second, shell: "true" }
`;

/** Its agent asks before it answers. */
export function asking(folder: string): string {
  const script = join(folder, "script.json");
  const rules = [{ when: { prompt: "choose" }, times: 1, do: [{ ask: "Which database?" }] }];
  writeFileSync(script, JSON.stringify({ rules }));
  return `
name: Asking
steps:
  coder:
    agent: scripted
    settings: { script: ${JSON.stringify(script)} }
    prompt: choose a database
outputs: { text: coder.output }
`;
}

/** Its agent asks before it runs a command. */
export function askingPermission(folder: string): string {
  const script = join(folder, "script.json");
  const rules = [{ when: { prompt: "release" }, times: 1, do: [{ "ask-permission": "deploy" }] }];
  writeFileSync(script, JSON.stringify({ rules }));
  return `
name: Asking for permission
steps:
  coder:
    agent: scripted
    settings: { script: ${JSON.stringify(script)}, home: ${JSON.stringify(join(folder, "agent"))} }
    prompt: release it
outputs: { text: coder.output }
`;
}

/** Its gate asks for a passphrase. */
export const withPassphrase = `
name: Secret
steps:
  sign-off: { gate: { title: Ship it?, passphrase: release } }
`;

/** A gate whose answer is an output, and is read by a step beside the one that it guards. */
export const guarded = `name: Guarded
outputs: { decision: sign-off.choice }
steps:
  sign-off: { gate: "Push it?" }
  push: { needs: sign-off, shell: "echo pushed > pushed" }
  note: { shell: "echo '{{ sign-off.comment }}'" }
`;

/** A loop with the given number of turns, in one session. */
export function counting(turns: number): string {
  return `
name: Counting
steps:
  practice:
    loop:
      until: check.enough
      max: ${turns}
      steps:
        writer: { agent: scripted, session: writer, prompt: how many turns? }
        check:
          inputs: { said: writer.output }
          function: 'return { enough: inputs.said.includes("turn ${turns}.") };'
          returns: { enough: boolean }
`;
}
