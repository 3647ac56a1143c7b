/** The commands about one turn in flight: `answer` and `cancel`. */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TurnResult } from "@reprise/core/api/reprise";
import { openEngine } from "@reprise/engine/open-reprise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";
import { appears } from "../../../../../test/until.ts";
import { runProgram } from "../program.ts";
import { testSurroundings } from "../test-surroundings.ts";

let folder: string;
beforeAll(async () => {
  folder = temporaryFolder("turns");
  const rules = [
    { when: { prompt: "choose" }, do: [{ ask: "Which database?" }] },
    { when: { prompt: "hang" }, do: ["model", { touch: join(folder, "reached") }, "hang"] },
  ];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  const script = `script=${join(folder, "script.json")}`;
  await run("agent", "create", "coder", "--provider", "scripted", "--set", script);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...argv: string[]) {
  const env = { ...process.env, REPRISE_HOME: join(folder, "home"), USER: "ana", NO_COLOR: "1" };
  const surroundings = testSurroundings({ cwd: folder, env });
  const code = await runProgram(argv, surroundings);
  return { code, stdout: surroundings.stdoutText(), stderr: surroundings.stderrText() };
}

const send = (key: string, prompt: string) =>
  run("sessions", "send", key, prompt, "--agent", "coder", "--json");

async function answerers(key: string): Promise<unknown[]> {
  const { engine, reprise } = await openEngine({ home: join(folder, "home"), cwd: folder });
  const { turn } = await reprise.turns.why(key);
  const events = await engine.store.readEvents({ after: 0, limit: 1000 });
  await reprise.close();
  return events
    .filter(({ type }) => type === "turn.answered")
    .map(({ data }) => data as { turn: string; by: string })
    .filter((answered) => answered.turn === turn.id)
    .map(({ by }) => by);
}

describe("answer", () => {
  test("is recorded under the given name, or the user's", async () => {
    for (const [key, options, by] of [
      ["named", ["--by", "ben"], "ben"],
      ["typed", [], "ana"],
    ] as const) {
      expect((await send(key, "choose")).code).toBe(3);
      expect((await run("answer", key, "SQLite", ...options)).code).toBe(0);
      expect(await answerers(key)).toEqual([by]);
    }
  });
});

describe("cancel", () => {
  test("ends a running turn, and the command that sent it says so", async () => {
    const ending = send("hanging", "hang");
    await appears(join(folder, "reached"));
    const { code, stdout } = await run("cancel", "hanging");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Turn \w{20} of hanging is cancelled\.\n$/);
    const { turn } = JSON.parse((await ending).stdout) as TurnResult;
    expect(turn.status).toBe("cancelled");
    expect(stdout).toContain(turn.id);
  });

  test("S0g S16: a turn that has ended is not reported as cancelled, exit 1", async () => {
    await send("ended", "echo on");
    const { code, stdout } = await run("cancel", "ended");
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^Nothing was cancelled: turn 1 of ended \(\w{20}\) had already ended \(done\)\.\n$/,
    );
  });

  test("is recorded under the given name, or the user's, and shown", async () => {
    for (const [key, options, by] of [
      ["cancelled-by-name", ["--by", "ben"], "ben"],
      ["cancelled-by-user", [], "ana"],
    ] as const) {
      await send(key, "choose");
      expect((await run("cancel", key, ...options)).code).toBe(0);
      expect((await run("why", key)).stdout).toContain(`✗ ${by} cancelled turn `);
      expect((await run("sessions", "show", key)).stdout).toContain(`cancelled by ${by} `);
    }
  });

  test("accepts the start of a turn's id, and removes its question from the inbox", async () => {
    const { turn } = JSON.parse((await send("asking", "choose")).stdout) as TurnResult;
    const { code, stdout } = await run("cancel", turn.id.slice(0, 8), "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ turn: { id: turn.id, status: "cancelled" } });
    expect((await run("inbox", "--json")).stdout).toBe("[]\n");
  });

  test("prefers a run to a session of the same name, and a session to a run whose id only starts with it", async () => {
    writeFileSync(join(folder, "wait.yaml"), "name: Wait\nsteps: { ask: { gate: Continue? } }\n");
    for (const id of ["both", "both-1", "both-2"])
      expect((await run("run", "wait.yaml", "--id", id, "-q")).code).toBe(3);
    await send("both", "choose");
    expect((await run("cancel", "both")).stdout).toBe("Run both is cancelled.\n");
    await send("both-", "choose");
    expect((await run("cancel", "both-")).stdout).toMatch(
      /^Turn \w{20} of both- is cancelled\.\n$/,
    );
  });

  test("refuses a name that is neither a run, a turn nor a session", async () => {
    expect(await run("cancel", "nothing")).toMatchObject({
      code: 4,
      stderr: expect.stringMatching(/There is no run, turn or session nothing\./),
    });
  });
});
