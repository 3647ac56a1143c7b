/**
 * A process that uses up its open files after a first turn: it explains the session and sends it a turn,
 * then closes them and sends another. Prints the result of each; started with `home folder`.
 */

import { closeSync, openSync } from "node:fs";
import { openReprise } from "@reprise/engine/open-reprise";

const [home = "", cwd = ""] = process.argv.slice(2);
const key = "few";
const reprise = await openReprise({ home, cwd });
// Without a script, which would be read before the history.
await reprise.agents.create({ name: "plain", provider: "scripted" });
await reprise.sessions.send({ key, agent: "plain", prompt: "remember APPLE-739" });
const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  // All of them are taken.
}
const explained = await reprise.sessions.explain({ key });
const refused = await reprise.sessions.send({ key, prompt: "what did I ask you to remember?" });
for (const file of taken) closeSync(file);
const sent = await reprise.sessions.send({ key, prompt: "what did I ask you to remember?" });
await reprise.close();
console.log(JSON.stringify({ explained, refused, sent }));
