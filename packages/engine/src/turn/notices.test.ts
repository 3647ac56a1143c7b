/** Notices only inform: without them a session is pinned, prompted, restored and compacted just the same. */

import { readdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TurnResult } from "@reprise/core/api/reprise";
import type { decide as Decide } from "@reprise/core/session/decide";
import type { Pin } from "@reprise/core/session/pin";
import { ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { expect, test, vi } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openEngine } from "../open-reprise.ts";

const silent = vi.hoisted(() => ({ on: false }));
vi.mock("@reprise/core/session/decide", async (original) => {
  const module = await original<{ decide: typeof Decide }>();
  const decide: typeof Decide = (...input) => {
    const decision = module.decide(...input);
    return silent.on ? { ...decision, notices: [] } : decision;
  };
  return { ...module, decide };
});

const key = "quiet";
const rules = [
  { when: { prompt: "break after a tool" }, do: [{ tool: "ls" }, { fail: { status: 503 } }] },
  { when: { prompt: "break at once" }, do: ["model", { fail: { status: 503 } }] },
];

/** Sends turns that lead to every notice of a decision; returns what each turn left behind. */
async function scenario() {
  const folder = temporaryFolder("notices");
  const home = join(folder, "agent");
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  const { engine, reprise } = await openEngine({ home: join(folder, "home"), cwd: folder });
  const settings = { script: join(folder, "script.json"), home };
  await reprise.agents.create({ name: "coder", provider: "scripted", settings });
  const left: unknown[] = [];
  const codes: string[] = [];
  const send = async (prompt: string) => {
    const result: TurnResult = await reprise.sessions.send({ key, agent: "coder", prompt });
    codes.push(...(result.decision?.notices ?? []).map(({ code }) => code));
    const { pin, checkpoint, retired } = await engine.store.load({ key, agent: "coder" });
    const { status } = result.turn;
    const { outcome, prepare } = result.decision ?? {};
    left.push({ status, outcome, prepare, pin: pin && lasting(pin), retired });
    left.push(checkpoint?.number);
  };
  try {
    await send("remember APPLE-1");
    await send("break after a tool");
    await send("what did I ask you to remember?");
    await send("break at once");
    await send("echo after what was undone");
    await reprise.agents.set({ name: "coder", settings: { instructions: "Be brief." } });
    await send("echo with instructions");
    const [session] = readdirSync(join(home, "sessions"));
    truncateSync(join(home, "sessions", session!), 10);
    await send("echo after a restoration");
    await reprise.sessions.compact({ key });
    await send("echo after a compaction");
    const prompts = readLedger(ledgerPath(home)).flatMap((line) =>
      line.event === "model" ? [line] : [],
    );
    const sent = prompts.map(({ prompt, history }) => ({ prompt, history }));
    return { left, sent, codes: [...new Set(codes)].sort() };
  } finally {
    await reprise.close();
    rmSync(folder, { recursive: true });
  }
}

/** Without what differs between any two sessions. */
function lasting({ handle: _, startedAt: __, confirmedAt: ___, residue, runtime, ...pin }: Pin) {
  return {
    ...pin,
    folder: null,
    cursor: pin.cursor !== null,
    residue: residue && { ...residue, turn: null },
    version: runtime.version,
  };
}

test("K2: without its notices a decision pins, sends and restores the same", async () => {
  const usual = await scenario();
  silent.on = true;
  const without = await scenario();
  expect(usual.codes).toEqual([
    "compaction",
    "instructions",
    "restored",
    "unconfirmed-kept",
    "unconfirmed-undone",
  ]);
  expect(without.codes).toEqual([]);
  expect({ ...without, codes: null }).toEqual({ ...usual, codes: null });
});
