/** The model of one turn applies to that turn only, although claude and pi themselves would keep it. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { agentBinary } from "../agents/agents.ts";
import { startClaude } from "./claude-subject.ts";
import { startPi } from "./pi-subject.ts";
import { onAgent } from "./real-subject.ts";
import { codes, key, type Subject, type Watched } from "./subject.ts";

const other = "claude-haiku-4-5";

/** The model that the last request was for. */
function ranOn({ witness }: Pick<Subject, "witness">): string {
  return JSON.parse(witness.wire().at(-1)!).model;
}

function modelVerdict({ turn }: Watched) {
  return turn.decision?.verdicts.find(({ guard }) => guard === "model");
}

onAgent("claude", "S0e", () => {
  test("S0e: claude: a turn without a model runs on the default, whatever the turn before ran on", async () => {
    await using subject = await startClaude();
    await subject.begin();
    const usual = ranOn(subject);
    expect(usual).not.toBe(other);
    await subject.send("echo one", { model: other });
    expect(ranOn(subject)).toBe(other);

    const back = await subject.send("echo two");
    expect(ranOn(subject)).toBe(usual);
    expect(modelVerdict(back)).toMatchObject({ stored: other, current: `default (${usual})` });
    expect(codes(back.turn)).toEqual(["model"]);

    const next = await subject.send("echo three");
    expect(ranOn(subject)).toBe(usual);
    expect(modelVerdict(next)).toMatchObject({ stored: `default (${usual})` });
    expect(codes(next.turn)).toEqual([]);
  });

  test("S0e: claude: after a first turn with a model the default is asked for by its name", async () => {
    await using subject = await startClaude();
    await subject.begin({ model: other });
    expect(ranOn(subject)).toBe(other);
    await subject.send("echo one");
    const usual = ranOn(subject);
    expect(usual).not.toBe(other);
    await subject.send("echo two");
    expect(ranOn(subject)).toBe(usual);
  });

  test("S0e: claude: the model of a turn that was cut off does not stay", async () => {
    await using subject = await startClaude();
    await subject.begin();
    const usual = ranOn(subject);
    subject.misbehave("fail-after-tool");
    const { turn } = await subject.send("echo one", { model: other });
    expect(turn.turn.status).toBe("failed");
    await subject.send("echo two");
    expect(ranOn(subject)).toBe(usual);
  });

  test("S0e: claude: a model that was changed in claude's own program stays, and is reported", async () => {
    await using subject = await startClaude();
    const id = await subject.begin();
    const usual = ranOn(subject);
    const env = { ...subject.env, CLAUDE_CONFIG_DIR: subject.agentHome };
    const args = ["--print", `--resume=${id}`, `--model=${other}`, "echo native"];
    const typed = promisify(execFile)(agentBinary("claude"), args, { cwd: subject.folder, env });
    typed.child.stdin?.end();
    await typed;
    const { turn } = await subject.send("echo one");
    expect(ranOn(subject)).toBe(other);
    expect(turn.notices).toContainEqual({
      code: "model-ran",
      text: `The agent ran on ${other}; the previous turn ran on ${usual}.`,
    });
    expect((await subject.reprise.sessions.explain({ key })).decision.outcome).toBe("resume");
  });
});

onAgent("pi", "S0e", () => {
  test("S0e: pi: a turn without a model runs on the default, whatever the turn before ran on", async () => {
    await using subject = await startPi();
    await subject.begin();
    expect(ranOn(subject)).toBe("test-model");
    await subject.send("echo one", { model: "other-model" });
    expect(ranOn(subject)).toBe("other-model");

    const back = await subject.send("echo two");
    expect(ranOn(subject)).toBe("test-model");
    expect(modelVerdict(back)).toMatchObject({
      stored: "other-model",
      current: "default (loopback/test-model)",
    });
    expect(codes(back.turn)).toEqual(["model"]);
    expect(codes((await subject.send("echo three")).turn)).toEqual([]);
  });

  test("S0e: pi: after a first turn with a model the default is that of pi's settings", async () => {
    await using subject = await startPi();
    await subject.begin({ model: "other-model" });
    await subject.send("echo one");
    expect(ranOn(subject)).toBe("test-model");
  });
});
