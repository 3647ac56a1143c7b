/**
 * Continues a session of a server that runs, and shows what happens meanwhile:
 *
 *     reprise up &
 *     REPRISE_TOKEN=$(cat ~/.local/state/reprise/token) node follow.ts fix-42 "Fix the parser." --agent coder
 */

import { parseArgs } from "node:util";
import { connect } from "reprise/client";

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { agent: { type: "string" } },
});
const [key = "", prompt = ""] = positionals;
const url = process.env.REPRISE_URL ?? "http://127.0.0.1:7777";
const reprise = await connect(url, { token: process.env.REPRISE_TOKEN });
try {
  const turn = reprise.session(key, { agent: values.agent }).send(prompt);
  for await (const step of turn) {
    if (step.type === "decided") console.log(`${step.decision.outcome}: ${step.decision.reason}`);
    if (step.type === "text") console.log(step.text);
  }
  const { turn: ended } = await turn;
  process.exitCode = ended.status === "done" ? 0 : 1;
} finally {
  await reprise.close();
}
