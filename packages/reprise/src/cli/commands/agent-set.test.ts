import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { folder, run, document, remove } = testHome("agent-set");
afterAll(remove);
beforeAll(() => mkdir(join(folder, "work")));

test("an agent is changed by name, and the output says what changed and what to do next", async () => {
  await run("agent", "create", "coder", "--provider", "scripted", "--model", "small");
  const changed = await run(
    ...["agent", "set", "coder", "--model", "large", "--folder", "work", "--kind", "background"],
    ...["--set", "instructions=Be brief.", "--set", "home=agents"],
  );
  expect(changed).toMatchObject({
    code: 0,
    stdout: "Changed agent coder: kind, model, folder, instructions, home.\n",
    stderr: expect.stringContaining("reprise explain KEY"),
  });
  expect(await document("agent", "show", "coder")).toMatchObject({
    kind: "background",
    model: "large",
    folder: join(folder, "work"),
    sessions: "default",
    settings: { instructions: "Be brief.", home: join(folder, "agents") },
  });

  expect(await run("agent", "set", "coder", "--model", "large")).toMatchObject({
    code: 0,
    stdout: "Agent coder already has these values.\n",
    stderr: "",
  });
});

test("model, folder and settings are unset, and --json prints the agent", async () => {
  const away = ["--unset", "model", "--unset", "folder", "--unset", "instructions"];
  const after = await document("agent", "set", "coder", ...away, "--sessions", "fresh");
  expect(after).toMatchObject({
    model: null,
    folder: null,
    sessions: "fresh",
    settings: { home: join(folder, "agents") },
  });
  expect(after).toEqual({ ...((await document("agent", "show", "coder")) as object), notices: [] });
});

test("another folder applies to new sessions, and explain shows that an existing one stays", async () => {
  await run("sessions", "send", "k", "remember PLUM", "--agent", "coder");
  const { stderr } = await run("agent", "set", "coder", "--folder", "work");
  expect(stderr).toContain("k");
  const kept = await run("sessions", "explain", "k");
  expect(kept.stdout).toContain("resume");
  const moved = await run("sessions", "explain", "k", "--folder", join(folder, "work"));
  expect(moved.stdout).toContain("reseed");
  expect(moved.stdout).toMatch(new RegExp(`folder +.*${RegExp.escape(join(folder, "work"))}`));
});
