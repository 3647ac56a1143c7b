/** A key stays in its folder, wherever the command is typed, with a server and without one. */

import { expect, test } from "vitest";
import { ServedShell } from "./served-shell.ts";

for (const served of [false, true])
  test(`S2: after cd the session resumes in its folder, ${served ? "with a server" : "without a server"}`, async () => {
    const shell = ServedShell.open();
    await shell.createAgent();
    if (served) await shell.up();
    const [here, there] = [shell.newFolder("here"), shell.newFolder("there")];
    const sessions = async (cwd: string, ...argv: string[]) => {
      const ended = await shell.run(["sessions", ...argv, "--json"], { cwd });
      expect(ended.stderr).toBe("");
      return JSON.parse(ended.stdout);
    };
    const folder = (decision: { verdicts: { guard: string; current: string }[] }) =>
      decision.verdicts.find(({ guard }) => guard === "folder")?.current;

    const first = await sessions(here, "send", "k", "remember APPLE-739", "--agent", "coder");
    expect(folder(first.decision)).toBe(here);
    const next = await sessions(there, "send", "k", "what did I ask you to remember?");
    expect(next).toMatchObject({ decision: { outcome: "resume" }, output: "APPLE-739" });
    expect(folder(next.decision)).toBe(here);

    await sessions(here, "move", "k", "--folder", there);
    const explained = await sessions(here, "explain", "k");
    expect(explained.decision.outcome).toBe("resume");
    expect(folder(explained.decision)).toBe(there);
    const moved = await sessions(here, "send", "k", "echo on");
    expect(moved.decision.outcome).toBe("resume");
    expect(folder(moved.decision)).toBe(there);
  });
