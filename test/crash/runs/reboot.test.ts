/** The machine was rebooted while a run was driven: what was cut off continues, or is reported as cut off. */

import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { openReprise } from "@reprise/engine/open-reprise";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../until.ts";
import { endProcesses, reboot } from "../reboot.ts";
import type { NamedPoint } from "./calls.ts";
import { runId } from "./home.ts";
import { act, newScenario } from "./scenario.ts";
import { agent, script } from "./workflow.ts";

let folder: string;
let reprise: Reprise | undefined;

beforeEach(() => {
  folder = newScenario();
});

afterEach(async () => {
  await reprise?.close();
  reprise = undefined;
  await endProcesses(folder);
  rmSync(folder, { recursive: true });
});

/** Dies there, and the machine with it, once something `isSo`. */
async function cutOff(
  source: string,
  point: Omit<NamedPoint, "when" | "stage">,
  isSo = () => true,
) {
  const dies = [{ when: "after", stage: "before the gate", ...point }] as const;
  expect(await act({ folder, source, dies })).toMatchObject({ signal: "SIGKILL" });
  await until(isSo);
  await reboot(folder);
}

async function recovered() {
  reprise = await openReprise({ home: join(folder, "home"), cwd: folder });
  await reprise.runs.recover();
  return reprise.runs.show(runId);
}

const isAsked = () => existsSync(join(folder, "asked"));
const hasBegun = () => began().length > 0;

/** Only whole lines: a script may be writing one. */
function began(): string[] {
  const file = join(folder, "shells");
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}

function asked(): string[] {
  return readFileSync(join(folder, "agent", "ledger.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === "model")
    .map(({ prompt }) => prompt.split("\n").at(-1));
}

const agents = JSON.stringify({
  name: "Agents",
  outputs: { text: "second.output" },
  steps: {
    first: { ...agent, session: "one", prompt: "remember APPLE-739" },
    second: {
      ...agent,
      needs: "first",
      session: "one",
      prompt: "what did I ask you to remember?",
    },
  },
});

test("an agent that was cut off is asked again, in its session, as another attempt", async () => {
  const rules = [
    { when: { prompt: "remember" }, times: 1, do: ["model", { touch: "asked" }, "hang"] },
  ];
  writeFileSync(join(folder, "script.json"), JSON.stringify({ rules }));
  await cutOff(agents, { call: "launcher.start", about: "first" }, isAsked);
  const run = await recovered();
  expect(run).toMatchObject({ status: "done", outputs: { text: "APPLE-739" } });
  expect(run.executions.map(({ id, attempt }) => `${id} ${attempt}`)).toEqual(
    expect.arrayContaining(["first 2", "second 1"]),
  );
  expect(run.sessions).toEqual([`wf:${runId}:agent:one`]);
  expect(asked()).toHaveLength(3);
});

test("an agent whose ticket may be lost is not started under it, but as another attempt", async () => {
  await cutOff(agents, { call: "store.recordLaunch", about: "first" });
  const run = await recovered();
  expect(run).toMatchObject({ status: "done", outputs: { text: "APPLE-739" } });
  expect(run.executions.find(({ id }) => id === "first")).toMatchObject({ attempt: 2 });
  expect(asked()).toHaveLength(2);
});

const shell = (onInterrupted: string) =>
  JSON.stringify({
    name: "Shell",
    outputs: { text: "deploy.output" },
    steps: {
      deploy: {
        shell: `${script("until test -e go; do sleep 0.01; done")}; echo deployed`,
        onInterrupted,
      },
    },
  });

/** How far the first one came: everything is on the disk, its ticket is not, or nothing at all. */
const lost = {
  nothing: [],
  "the ticket": ["ticket", "pid", "agent"],
  "the spool": [""],
};

test.each(Object.entries(lost))(
  "a script that was cut off is not begun again by itself, when %s is lost",
  async (_, names) => {
    await cutOff(shell("fail"), { call: "launcher.start", about: "deploy" }, hasBegun);
    for (const spool of globSync("home/turns/shell-*/1", { cwd: folder }))
      for (const name of names) rmSync(join(folder, spool, name), { recursive: true });
    writeFileSync(join(folder, "go"), "");
    expect(await recovered()).toMatchObject({ status: "failed", error: { code: "interrupted" } });
    expect(began()).toEqual(["began deploy"]);
    const again = await reprise!.runs.rerun({ run: runId });
    expect(again).toMatchObject({ status: "done", outputs: { text: "deployed" } });
    expect(began()).toEqual(["began deploy", "began deploy", "ended deploy"]);
  },
);

test("nor when the process that found that died before it was recorded", async () => {
  await cutOff(shell("fail"), { call: "launcher.start", about: "deploy" }, hasBegun);
  for (const spool of globSync("home/turns/shell-*", { cwd: folder }))
    rmSync(join(folder, spool), { recursive: true });
  writeFileSync(join(folder, "go"), "");
  const dies = [{ when: "after", stage: "before the gate", call: "store.takeRun" }] as const;
  expect(await act({ folder, dies })).toMatchObject({ signal: "SIGKILL" });
  expect(await recovered()).toMatchObject({ status: "failed", error: { code: "interrupted" } });
  expect(began()).toEqual(["began deploy"]);
});

test("a script that may be repeated is, as another attempt", async () => {
  await cutOff(shell("rerun"), { call: "launcher.start", about: "deploy" }, hasBegun);
  writeFileSync(join(folder, "go"), "");
  const run = await recovered();
  expect(run).toMatchObject({ status: "done", outputs: { text: "deployed" } });
  expect(run.executions.find(({ id }) => id === "deploy")).toMatchObject({ attempt: 2 });
  expect(began()).toEqual(["began deploy", "began deploy", "ended deploy"]);
});

test("a script whose process alone was killed is not begun again by itself", async () => {
  const dies = [
    { when: "after", stage: "before the gate", call: "launcher.follow", about: "deploy" },
  ] as const;
  const owner = act({ folder, source: shell("fail"), dies });
  await until(hasBegun);
  await endProcesses(folder);
  expect(await owner).toMatchObject({ signal: "SIGKILL" });
  writeFileSync(join(folder, "go"), "");
  expect(await recovered()).toMatchObject({ status: "failed", error: { code: "interrupted" } });
  expect(began()).toEqual(["began deploy"]);
});
