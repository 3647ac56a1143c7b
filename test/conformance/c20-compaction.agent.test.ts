/** C20 on the real agents, whose own compaction asks their model for a summary. */

import type { ModelRequest } from "@reprise/providers/models/model";
import { expect, test } from "vitest";
import type { AgentName } from "../agents/agents.ts";
import { compactOnlyWhenAsked } from "../agents/pi-home.ts";
import { compaction, noticesOf } from "./c20-compaction.cases.ts";
import { PiSubject } from "./pi-subject.ts";
import { onRealAgents } from "./real-agents.ts";
import type { RealSubject } from "./real-subject.ts";
import { key, recall, type Subject, secret } from "./subject.ts";

/** The others have no command for it that works without their screen. */
type Compacting = Exclude<AgentName, "gemini" | "opencode">;

/** An argument that only a compacting launch has. */
const argument: Readonly<Record<Compacting, string>> = {
  claude: "/compact",
  codex: "--config=model_auto_compact_token_limit=1",
  // Its agent's settings make it `full`, where no other launch has an extension of ours.
  pi: "--extension",
};

/** What an agent's program asks its model when it compacts, and codex after it. */
const ofCompaction =
  /Your task is to create a detailed summary|CONTEXT CHECKPOINT COMPACTION|You are about to forget this conversation|This conversation has been compacted|structured context checkpoint summary|into the existing summary|Create a concise checkpoint/;

/** Otherwise claude and pi would compact what is too long by themselves, in the same launch. */
function leaveItToUs(subject: Subject): void {
  if (subject.provider === "claude") subject.env.DISABLE_AUTO_COMPACT = "1";
  if (subject instanceof PiSubject) compactOnlyWhenAsked(subject.agentHome);
}

/** Each answer of a tool beside its call, as a request has them. */
const pairs: Readonly<Record<Compacting, (body: ModelRequest["body"]) => [string[], string[]]>> = {
  claude: ({ messages }) => {
    const blocks = messages.flatMap(({ content }: { content: unknown }) =>
      Array.isArray(content) ? content : [],
    );
    return [ids(blocks, "tool_use", "id"), ids(blocks, "tool_result", "tool_use_id")];
  },
  codex: ({ input }) => [
    ids(input, "function_call", "call_id"),
    ids(input, "function_call_output", "call_id"),
  ],
  pi: ({ messages }) => [
    messages.flatMap(({ tool_calls = [] }: { tool_calls?: { id: string }[] }) =>
      tool_calls.map(({ id }) => id),
    ),
    messages.flatMap(({ tool_call_id: id }: { tool_call_id?: string }) => id ?? []),
  ],
};

function ids(items: Record<string, string>[], type: string, name: string): string[] {
  return items.flatMap((item) => (item.type === type ? (item[name] ?? []) : []));
}

onRealAgents("C20", (provider, start) => {
  if (provider === "gemini" || provider === "opencode") return;
  const agent = {
    start: (options = {}) => start({ before: leaveItToUs, ...options }),
    async lengthen(subject: RealSubject) {
      for (let turn = 1; turn <= 3; turn += 1) await subject.send("run seq 1 3000");
    },
    runInto(subject: RealSubject, ...launches: ("overflow" | "overloaded" | null)[]) {
      for (const [index, trouble] of launches.entries())
        if (trouble) subject.answer([{ refuse: trouble }], index);
    },
    compacts: ({ argv }: { argv: readonly string[] }) => argv.includes(argument[provider]),
    promptCalls: <Call extends { prompt: string }>({ calls }: { calls: readonly Call[] }) =>
      calls.filter(({ prompt }) => !ofCompaction.test(prompt)),
  };

  compaction(provider, agent);

  test(`C20/${provider}: after its compaction far less is sent, with the summary, and tool calls keep their results`, async () => {
    await using subject = await agent.start();
    const id = await subject.begin();
    await agent.lengthen(subject);
    await subject.send("echo before");
    const size = () => subject.witness.wire().at(-1)!.length;
    const before = size();
    await subject.reprise.sessions.compact({ key, focus: "the gearbox" });
    const { calls } = await subject.send("run seq 1 3");
    expect(calls.some(({ prompt }) => prompt.includes("the gearbox"))).toBe(true);
    expect(calls.every(({ session }) => session === id)).toBe(true);
    expect(size()).toBeLessThan(before * 0.7);
    const wire = subject.witness.wire().at(-1)!;
    expect(wire).toContain("Summed up");
    const [called, answered] = pairs[provider](JSON.parse(wire));
    expect(called).toHaveLength(1);
    expect(answered).toEqual(called);
    expect((await subject.send(recall)).turn.output).toBe(secret);
  });

  if (provider !== "claude") return;

  test("C20/claude: claude compacts what is too long by itself, in the same launch", async () => {
    await using subject = await start();
    const id = await subject.begin();
    await subject.send("run seq 1 3000");
    await subject.send("run seq 1 3000");
    subject.answer([
      { refuse: "overflow" },
      { text: "<summary>\nremember APPLE-739\n</summary>" },
      { text: secret },
    ]);
    const { turn, launches } = await subject.send(recall);
    expect(launches).toMatchObject([{ resumed: id }]);
    expect(turn).toMatchObject({ turn: { status: "done" }, output: secret });
    const next = await subject.send(recall);
    expect(next.launches).toMatchObject([{ resumed: id }]);
    expect(next.turn.output).toBe(secret);
    expect(noticesOf(next.turn)).toEqual([]);
  });

  test("C20/claude: what claude could not compact by itself is not compacted again: a new session begins", async () => {
    await using subject = await start();
    const id = await subject.begin();
    await subject.send("echo on");
    subject.answer([{ refuse: "overflow" }]);
    const { turn, launches } = await subject.send(recall);
    expect(launches.map(({ resumed }) => resumed)).toEqual([id, null]);
    expect(turn).toMatchObject({
      decision: { outcome: "reseed", reason: "healthy", compact: { focus: null } },
      output: secret,
    });
  });
});
