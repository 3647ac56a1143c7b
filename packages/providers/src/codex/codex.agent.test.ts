/** Checks the provider's assumptions with the real codex against a model server on loopback. */

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SessionLostError } from "@reprise/core/errors/errors";
import type { Handle } from "@reprise/core/session/pin";
import { subtractUsage } from "@reprise/core/usage/usage";
import { describe, expect, test } from "vitest";
import { agentBinary } from "../../../../test/agents/agents.ts";
import { codexKey, makeCodexHome } from "../../../../test/agents/codex-home.ts";
import {
  type AgentTurn,
  end,
  failure,
  hash,
  realProvider,
  type TurnOptions,
} from "../../../../test/agents/real-provider.ts";
import { startResponsesServer } from "../models/openai-responses.ts";
import { codex } from "./provider.ts";

// A turn takes 0.3 s on an idle machine, and longer on a busy one.
const real = realProvider(codex, {
  startModelServer: startResponsesServer,
  makeHome: makeCodexHome,
  env: () => ({ [codexKey]: "secret" }),
});
const { turn, conversation, history, sent } = real;
const rollout = ({ id }: Handle) => {
  const name = readdirSync(join(real.home, "sessions"), { recursive: true, encoding: "utf8" }).find(
    (file) => file.endsWith(`${id}.jsonl`),
  );
  return join(real.home, "sessions", name!);
};

describe("codex", () => {
  test("is found, with its abilities and account", () => {
    expect(real.found).toEqual({
      binary: agentBinary("codex"),
      runtime: {
        product: "codex",
        home: real.home,
        version: "0.166.0",
        abilities: ["resume", "model-on-resume"],
      },
      account: `key:${hash("secret")}`,
    });
  });

  test("a new session reports its id, a resumed one the same id, and remembers", async () => {
    const first = await turn("remember APPLE-739");
    expect(first).toMatchObject({ code: 0, answer: "I will remember APPLE-739." });
    expect(first.id).toMatch(codex.manifest.idPattern);
    const second = await turn("what did I ask you to remember?", first.id);
    expect(second).toMatchObject({ code: 0, id: first.id, answer: "APPLE-739" });
    const other = await turn("what did I ask you to remember?");
    expect(other.answer).toBe("You did not ask me to remember anything.");
    expect(other.id).not.toBe(first.id);
  });

  test("an unknown id is refused before anything is sent", async () => {
    const refused = await turn("hello", "01a1ddf1-0000-7000-8000-000000000000");
    expect(failure(refused)).toMatchObject({ kind: "missing" });
    expect(refused.id).toBeUndefined();
    expect(real.server.requests).toEqual([]);
  });

  test("an id that codex would answer with a new session is never launched", async () => {
    await expect(turn("hello", "not-a-uuid")).rejects.toThrow(SessionLostError);
    expect(real.server.requests).toEqual([]);
  });

  test("the history before a turn is the beginning of the history after it", async () => {
    const handle = await conversation("echo one");
    let before = await history(handle);
    expect(before.items.map(({ role, text: words }) => [role, words])).toEqual([
      ["user", "echo one"],
      ["assistant", "one"],
    ]);
    // Rules, model and sandbox change what codex adds to the conversation, but not the conversation.
    const turns: [string, TurnOptions][] = [
      ["echo two", {}],
      ["run echo three", { settings: { sandbox: "danger-full-access" } }],
      ["echo four", { model: "other-model" }],
    ];
    for (const [prompt, options] of turns) {
      writeFileSync(join(real.work, "AGENTS.md"), `Before "${prompt}".\n`);
      expect((await turn(prompt, handle.id, options)).code).toBe(0);
      const after = await history(handle);
      expect(end(after, before.items.length)).toEqual(end(before));
      expect(after.items.length).toBeGreaterThan(before.items.length);
      before = after;
    }
    expect(before.items.map(({ role }) => role).join(" ")).toBe(
      "user assistant user assistant user tool tool assistant user assistant",
    );
  });

  test("usage is a running total; the difference is the turn's usage", async () => {
    const usage = ({ events }: AgentTurn) => events.find((event) => event.type === "usage")!.usage;
    const first = await turn("echo one");
    const second = await turn("echo two", first.id);
    const share = subtractUsage(usage(second), usage(first));
    expect(share.cachedRead).toBeGreaterThan(0.9 * usage(first).uncached!);
    expect(share.uncached).toBeLessThan(0.1 * usage(first).uncached!);
  });

  test("a command that the model asks for is run and reported", async () => {
    const settings = { sandbox: "danger-full-access" };
    const ran = await turn("run echo done > made.txt", null, { settings });
    expect(ran.events).toContainEqual({ type: "tool", name: "command_execution" });
    expect(readFileSync(join(real.work, "made.txt"), "utf8")).toBe("done\n");
    // Codex does not keep the sandbox of the previous turn: without the flag a turn is read-only.
    await turn("run echo again > second.txt", ran.id);
    expect(readdirSync(real.work)).toEqual(["made.txt"]);
  });

  test("a prompt arrives as text, whatever it begins with", async () => {
    writeFileSync(join(real.work, "note.txt"), "INSIDE\n");
    const { id } = await turn("hello");
    for (const prompt of ["/new", "/compact", "@note.txt", "-x"]) {
      expect((await turn(prompt, id)).id).toBe(id);
      expect(sent().at(-1)).toBe(prompt);
    }
    expect(real.server.requests).toHaveLength(5);
    expect(JSON.stringify(real.server.requests.at(-1)!.body)).not.toContain("INSIDE");
  });

  test("prompts of 1 MB and of the maximum size arrive whole", async () => {
    const most = `${"x".repeat(codex.manifest.maxPrompt - "\necho done".length)}\necho done`;
    expect((await turn(most)).answer).toBe("done");
    expect(sent()).toEqual([most]);
  });

  test.each([
    [{ refuse: "rate-limit" }, { kind: "transient" }],
    [{ refuse: "server-error" }, { kind: "transient" }],
    [{ dropped: "half an ans" }, { kind: "transient" }],
    [{ refuse: "unauthorized" }, { kind: "login" }],
    [{ refuse: "invalid-history" }, { kind: "poisoned" }],
    [{ refuse: "overflow" }, { kind: "poisoned" }],
    [{ refuse: "bad-request" }, { kind: "unknown" }],
    [
      { refuse: "quota", resetsAt: 1_900_000_020 },
      { kind: "quota", resetAt: 1_900_000_080_000 },
    ],
  ] as const)("%j is %j, and the thread continues", async (answer, expected) => {
    const { id } = await turn("remember APPLE-739");
    real.server.answerWith(answer);
    const failed = await turn("hello", id);
    expect(failed).toMatchObject({ code: 1, id });
    expect(failure(failed)).toMatchObject(expected);
    expect(failed.answer).toBeUndefined();
    expect((await turn("what did I ask you to remember?", id)).answer).toBe("APPLE-739");
  });

  test("another writer is named", async () => {
    const { id } = await turn("hello");
    real.server.answerWith({ text: "late", held: true });
    const writing = turn("first", id);
    await real.server.nextRequest();
    const request = await real.server.nextRequest();
    expect(failure(await turn("second", id))).toMatchObject({ kind: "writer" });
    request.release();
    expect((await writing).answer).toBe("late");
  });
});

describe("a damaged history is noticed, and the model gets what is put back", () => {
  const whole = ["echo one", "one", "echo two", "two", "echo three", "three"];
  const edit = (change: (lines: string[]) => string[]) => (handle: Handle) => {
    const file = rollout(handle);
    const lines = readFileSync(file, "utf8").trimEnd().split("\n");
    writeFileSync(file, `${change(lines).join("\n")}\n`);
  };
  const withText = (words: string) => (line: string) =>
    line.includes('"response_item"') && line.includes(`"text":"${words}"`);

  test.each<[string, (handle: Handle) => void, number | string, string[] | null]>([
    ["deleted", (handle) => rmSync(rollout(handle)), "missing", null],
    ["emptied", (handle) => writeFileSync(rollout(handle), ""), "unreadable", null],
    [
      "cut at the end of a line",
      edit((lines) => lines.slice(0, lines.findIndex(withText("three")))),
      5,
      whole.slice(0, 5),
    ],
    [
      "damaged in the middle",
      edit((lines) => lines.map((line) => (withText("echo two")(line) ? line.slice(2) : line))),
      "unreadable",
      whole.filter((words) => words !== "echo two"),
    ],
    [
      "torn at its end",
      (handle) => writeFileSync(rollout(handle), readFileSync(rollout(handle)).subarray(0, -30)),
      "unreadable",
      whole,
    ],
    [
      "taken back by a turn",
      edit((lines) => {
        const { ordinal, timestamp } = JSON.parse(lines.at(-1)!);
        const payload = { type: "thread_rolled_back", num_turns: 1 };
        const back = { timestamp, ordinal: ordinal + 1, type: "event_msg", payload };
        return [...lines, JSON.stringify(back)];
      }),
      4,
      whole.slice(0, 4),
    ],
  ])("%s", async (_, damage, noticed, damagedView) => {
    const handle = await conversation("echo one", "echo two", "echo three");
    const before = await history(handle);
    const checkpoint = await codex.copyOut(handle);
    const aside = join(real.folder, "aside");

    damage(handle);
    const seen = await codex.observe(handle, hash);
    expect(typeof seen === "string" ? seen : seen.items.length).toBe(noticed);
    // Codex continues silently or refuses; either way its databases have seen the damage.
    const unaware = await turn("echo unaware", handle.id);
    if (damagedView === null) expect(failure(unaware)).toMatchObject({ kind: "missing" });
    else expect(sent()).toEqual([...damagedView, "echo unaware"]);

    await codex.copyIn(handle, checkpoint, aside);
    expect(await history(handle)).toEqual(before);
    expect(await turn("echo four", handle.id)).toMatchObject({ code: 0, id: handle.id });
    expect(sent()).toEqual([...whole, "echo four"]);
  });

  test("an earlier state forgets the turns after it, also after codex lost the file", async () => {
    const handle = await conversation("echo one", "echo two");
    const checkpoint = await codex.copyOut(handle);
    const before = await history(handle);
    await turn("echo three", handle.id);
    await codex.copyIn(handle, checkpoint, join(real.folder, "aside"));
    expect(await history(handle)).toEqual(before);
    rmSync(rollout(handle));
    expect(failure(await turn("echo lost", handle.id))).toMatchObject({ kind: "missing" });
    await codex.copyIn(handle, checkpoint, join(real.folder, "aside"));
    await turn("echo four", handle.id);
    expect(sent()).toEqual(["echo one", "one", "echo two", "two", "echo four"]);
  });
});
