/** C25, the permissions, on the real agents. Codex, run by `exec`, never asks for one. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { nothingAsked, onlyAnAllowAllows, type ParkedTurn } from "./c25-permission.cases.ts";
import { startClaude } from "./claude-subject.ts";
import { onRealAgents } from "./real-agents.ts";
import { onAgent } from "./real-subject.ts";

async function park(): Promise<ParkedTurn> {
  const subject = await startClaude();
  const settings = { permissions: "ask", allowedTools: "" };
  await subject.reprise.agents.set({ name: "coder", settings });
  await subject.begin();
  const made = join(subject.folder, "made.txt");
  const { turn } = await subject.send(`run echo done >> ${made}`);
  const ran = () => (existsSync(made) ? readFileSync(made, "utf8").split("\n").length - 1 : 0);
  return { subject, turn: turn.turn.id, ran };
}

onAgent("claude", "C25", (claude) => onlyAnAllowAllows(claude, park));
onRealAgents("C25", nothingAsked);
