import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { folder, run, document, remove } = testHome("class");
afterAll(remove);

test("a class is created, listed and shown, and is not an agent", async () => {
  await run("token", "create", "ana", "--role", "viewer");
  expect(await run("agent", "list", "--class")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("There are no classes yet."),
  });
  const made = await run(
    ...["agent", "create", "reviewer", "--class", "--provider", "scripted", "--model", "large"],
    ...["--set", "instructions=Find faults."],
  );
  expect(made).toMatchObject({
    code: 0,
    stdout: "Created class reviewer (scripted, access edit).\n",
  });

  expect((await run("agent", "list", "--class")).stdout).toMatch(/^reviewer +scripted/m);
  expect((await run("agent", "show", "reviewer", "--class")).stdout).toMatch(
    /^set instructions +Find faults\.$/m,
  );
  expect(await document("agent", "list")).toEqual([]);
  expect(await run("agent", "show", "reviewer")).toMatchObject({ code: 4 });
  const sent = await run("sessions", "send", "new", "echo hi", "--agent", "reviewer");
  expect(sent).toMatchObject({ code: 4, stderr: expect.stringContaining("no agent reviewer") });
});

test("an agent starts with the values of its class, and its own override them", async () => {
  expect(await document("agent", "create", "anna", "--class", "reviewer")).toMatchObject({
    name: "anna",
    class: "reviewer",
    provider: "scripted",
    model: "large",
    settings: { instructions: "Find faults." },
  });
  const own = ["--model", "small", "--set", "instructions=Find none."];
  expect(await document("agent", "create", "bert", "--class", "reviewer", ...own)).toMatchObject({
    model: "small",
    settings: { instructions: "Find none." },
  });
  expect((await run("sessions", "send", "k", "echo hi", "--agent", "anna")).stdout).toBe("hi\n");
});

test("a class is changed by name, and the output says which agents do not change", async () => {
  const changed = await run(
    ...["agent", "set", "reviewer", "--class", "--model", "huge", "--kind", "background"],
    ...["--set", "home=agents", "--unset", "instructions"],
  );
  expect(changed).toEqual({
    code: 0,
    stdout: "Changed class reviewer: kind, model, instructions, home.\n",
    stderr: [
      "Agents and nodes that are created from now on use it.",
      "Existing agents of this class did not change: anna, bert. Change one with: reprise agent set NAME\n",
    ].join("\n"),
  });
  const now = { kind: "background", model: "huge", settings: { home: join(folder, "agents") } };
  expect(await document("agent", "show", "reviewer", "--class")).toMatchObject(now);
  expect(await document("agent", "show", "anna")).toMatchObject({
    kind: "interactive",
    model: "large",
    settings: { instructions: "Find faults." },
  });
  expect(await document("agent", "create", "cyd", "--class", "reviewer")).toMatchObject(now);

  const again = await run("agent", "set", "reviewer", "--class", "--model", "huge");
  expect(again).toEqual({
    code: 0,
    stdout: "Class reviewer already has these values.\n",
    stderr: "",
  });
  expect(await document("agent", "set", "reviewer", "--class", "--unset", "model")).toEqual(
    await document("agent", "show", "reviewer", "--class"),
  );
});

test.each([
  ["an unknown class", ["agent", "create", "x", "--class", "reviwer"], 4, "reviewer"],
  ["an unknown class to show", ["agent", "show", "x", "--class"], 4, "reviewer"],
  ["neither a provider nor a class", ["agent", "create", "x"], 2, "--provider or --class"],
  ["an unknown class to change", ["agent", "set", "x", "--class", "--model", "m"], 4, "reviewer"],
  ["an agent as a class", ["agent", "set", "anna", "--class", "--model", "m"], 4, "no class anna"],
  ["a class as an agent", ["agent", "set", "reviewer", "--model", "m"], 4, "no agent reviewer"],
  ["a class and nothing to change", ["agent", "set", "reviewer", "--class"], 2, "nothing to set"],
  [
    "sessions of a class",
    ["agent", "set", "reviewer", "--class", "--sessions", "fresh"],
    2,
    "Class reviewer has no sessions of its own.",
  ],
  [
    "sessions of a new class",
    ["agent", "create", "x", "--class", "--provider", "scripted", "--sessions", "fresh"],
    2,
    "Class x has no sessions of its own.",
  ],
  ["a class without a provider", ["agent", "create", "x", "--class"], 2, "--provider"],
  [
    "a class of another provider",
    ["agent", "create", "x", "--class", "reviewer", "--provider", "codex"],
    2,
    "Class reviewer uses scripted",
  ],
  [
    "a class that is there",
    ["agent", "create", "reviewer", "--class", "--provider", "scripted"],
    1,
    "A class named",
  ],
  [
    "a setting that no agent of it has",
    ["agent", "create", "x", "--class", "--provider", "scripted", "--set", "nope=1"],
    2,
    "nope",
  ],
])("%s is one clear error", async (_, argv, code, text) => {
  const failed = await run(...argv);
  expect(failed).toMatchObject({ code, stdout: "" });
  expect(failed.stderr).toContain(text);
});
