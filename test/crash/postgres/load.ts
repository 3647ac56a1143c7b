/**
 * An engine with several turns and runs in flight at a time, each acknowledged in the file `heard` once it has ended.
 * `node load.ts '{"folder", "name", …}'`.
 */

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { openReprise } from "@reprise/engine/open-reprise";
import { agent } from "../runs/workflow.ts";

export interface LoadOrder {
  readonly folder: string;
  /** Distinguishes what this process does from what others do. */
  readonly name: string;
  /** How many sessions have turns, and how many runs there are, side by side. */
  readonly width: number;
  /** How many turns a session has, and how many runs follow each other. */
  readonly length: number;
}

export interface Heard {
  /** A prompt, or the name of a run. */
  readonly work: string;
  readonly status: string;
  readonly output: unknown;
}

export const source = JSON.stringify({
  name: "under load",
  inputs: { name: "string" },
  outputs: { said: "say.output", measured: "measure.output", sum: "three.sum" },
  steps: {
    one: { function: "return { sum: 1 };", returns: { sum: "number" } },
    two: {
      inputs: { sum: "one.sum" },
      function: "return { sum: inputs.sum + 1 };",
      returns: { sum: "number" },
    },
    measure: {
      inputs: { name: "inputs.name" },
      needs: "two",
      shell: "echo {{ inputs.name }} >> shells; echo measured",
    },
    say: {
      ...agent,
      inputs: { name: "inputs.name" },
      needs: "measure",
      prompt: "echo agent of {{ inputs.name }}",
    },
    three: {
      inputs: { sum: "two.sum" },
      needs: "say",
      function: "return { sum: inputs.sum + 1 };",
      returns: { sum: "number" },
    },
  },
});

const order: LoadOrder = JSON.parse(process.argv[2] ?? "{}");
const { folder, name, width, length } = order;
const reprise = await openReprise({ home: join(folder, "home"), cwd: folder, env: process.env });

function hear(heard: Heard): void {
  appendFileSync(join(folder, "heard"), `${JSON.stringify(heard)}\n`);
}

async function converse(key: string): Promise<void> {
  for (let number = 1; number <= length; number += 1) {
    const work = `turn ${number} of ${key}`;
    const prompt = `echo ${work}`;
    const { turn, output } = await reprise.sessions.send({ key, agent: "coder", prompt });
    hear({ work, status: turn.status, output });
  }
}

async function run(of: string): Promise<void> {
  for (let number = 1; number <= length; number += 1) {
    const work = `run ${number} of ${of}`;
    const { status, outputs } = await reprise.runs.start({ source, inputs: { name: work } });
    hear({ work, status, output: outputs });
  }
}

const lines = Array.from({ length: width }, (_, index) => `${name}-${index + 1}`);
await Promise.all(lines.flatMap((line) => [converse(line), run(line)]));
await reprise.close();
