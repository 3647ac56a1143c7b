/** C21 on the real agents: what the model gets beside the conversation, altered in the provider's files. */

import { globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentName } from "../agents/agents.ts";
import { startClaude } from "./claude-subject.ts";
import { startCodex } from "./codex-subject.ts";
import { onAgent } from "./real-subject.ts";
import {
  codes,
  key,
  recall,
  type StartSubject,
  type Subject,
  secret,
  witnessed,
} from "./subject.ts";

const planted = "ZEBRA-4711";

/** Lines of the session's file that the program wrote for the model, and words in them. */
interface ModelLines {
  readonly isForModel: (line: Record<string, never>) => boolean;
  readonly words: string;
}

function alter(file: string, { isForModel, words }: ModelLines): void {
  const lines = readFileSync(file, "utf8").split("\n");
  const altered = lines.map((line) =>
    line !== "" && isForModel(JSON.parse(line)) ? line.replaceAll(words, planted) : line,
  );
  expect(altered).not.toEqual(lines);
  writeFileSync(file, altered.join("\n"));
}

function alterations(
  provider: AgentName,
  start: StartSubject,
  all: Record<string, ModelLines>,
): void {
  for (const [what, lines] of Object.entries(all))
    test(`S0i C21/${provider}: ${what} altered in the session's file ⇒ restored, and never sent`, async () => {
      await using subject = await start();
      const id = await subject.begin();
      alter(subject.sessionFile(id), lines);
      expect(await subject.reprise.sessions.verify(key)).toMatchObject([{ history: "restorable" }]);
      const seen = await subject.send(recall);
      expect(witnessed(seen, id)).toBe("resume");
      expect(codes(seen.turn)).toContain("restored");
      expect(seen.turn.output).toBe(secret);
      expect(subject.witness.wire().at(-1)).not.toContain(planted);
    });

  test(`S0i C21/${provider}: what the program itself writes for another model is not damage`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    for (const model of ["another-model", undefined]) {
      const seen = await subject.send(recall, model ? { model } : {});
      expect(witnessed(seen, id)).toBe("resume");
      expect(codes(seen.turn)).not.toContain("restored");
      expect(await subject.reprise.sessions.verify(key)).toMatchObject([{ history: "same" }]);
    }
  });
}

/** Where claude keeps a tool's result that is too long for the conversation. */
function keptResult({ agentHome }: Subject & { readonly agentHome: string }): string {
  const [name = ""] = globSync("projects/*/*/tool-results/*", { cwd: agentHome });
  return join(agentHome, name);
}

onAgent("claude", "C21", (agent) => {
  const attached = (type: string) => (line: Record<string, { readonly type?: string }>) =>
    line.attachment?.type === type;
  alterations(agent, startClaude, {
    "the system prompt": {
      isForModel: attached("prompt_snapshot"),
      words: "working with the user",
    },
    "what the program says of its skills": {
      isForModel: attached("skill_listing"),
      words: "dataviz",
    },
  });

  test.each([
    ["altered", (file: string) => writeFileSync(file, planted)],
    ["deleted", (file: string) => rmSync(file)],
  ])("S0i C21/claude: a long tool result that was %s ⇒ put back", async (_, damage) => {
    await using subject = await startClaude();
    const id = await subject.begin();
    await subject.send("run seq 1 30000");
    const file = keptResult(subject);
    const whole = readFileSync(file, "utf8");
    expect(whole).toContain("29999");
    damage(file);
    expect(await subject.reprise.sessions.verify(key)).toMatchObject([{ history: "restorable" }]);
    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("resume");
    expect(codes(seen.turn)).toContain("restored");
    expect(readFileSync(file, "utf8")).toBe(whole);
    const next = await subject.send(recall);
    expect(codes(next.turn)).not.toContain("restored");
  });
});

onAgent("codex", "C21", (agent) => {
  const isDeveloper = ({ payload }: Record<string, { readonly role?: string }>) =>
    payload?.role === "developer";
  alterations(agent, startCodex, {
    "the system prompt": {
      isForModel: ({ type }: Record<string, unknown>) => type === "session_meta",
      words: "You are",
    },
    "what the program says to the model": { isForModel: isDeveloper, words: "skills" },
  });
});
