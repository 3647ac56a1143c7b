/** A tiny agent: it answers, and keeps each conversation in a file of its own. */

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    version: { type: "boolean" },
    home: { type: "string", default: "." },
    new: { type: "string" },
    resume: { type: "string" },
  },
});
if (values.version) {
  console.log("parrot 1.2.0");
  process.exit();
}

const id = values.resume ?? values.new;
const file = join(values.home, `${id}.jsonl`);
if (values.resume !== undefined && !existsSync(file)) {
  console.error(`parrot: there is no conversation ${id}`);
  process.exit(3);
}

const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
const heard = lines.map((line) => JSON.parse(line).text);
const prompt = await text(process.stdin);
console.log(JSON.stringify({ type: "conversation", id }));

const [, word = "nothing"] =
  [...[...heard, prompt].join("\n").matchAll(/remember ([\w-]+)/g)].at(-1) ?? [];
const answer = prompt.includes("what did I ask you to remember?") ? word : `I heard: ${prompt}`;
mkdirSync(values.home, { recursive: true });
for (const [role, said] of [
  ["user", prompt],
  ["assistant", answer],
])
  appendFileSync(file, `${JSON.stringify({ role, text: said })}\n`);
console.log(JSON.stringify({ type: "answer", text: answer }));
