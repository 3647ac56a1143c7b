import { afterAll, expect, test } from "vitest";
import { testHome } from "../test-home.ts";

const { run, document, remove } = testHome("class");
afterAll(remove);

test("a class is created, listed and shown, and is no agent", async () => {
  expect(await run("agent", "list", "--class")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("There are no classes yet."),
  });
  const made = await run(
    ...["agent", "create", "reviewer", "--class", "--provider", "scripted", "--model", "large"],
    ...["--set", "instructions=Find faults."],
  );
  expect(made).toMatchObject({ code: 0, stdout: "Created class reviewer (scripted).\n" });

  expect((await run("agent", "list", "--class")).stdout).toMatch(/^reviewer +scripted/m);
  expect((await run("agent", "show", "reviewer", "--class")).stdout).toMatch(
    /^set instructions +Find faults\.$/m,
  );
  expect(await document("agent", "list")).toEqual([]);
  expect(await run("agent", "show", "reviewer")).toMatchObject({ code: 4 });
  const sent = await run("sessions", "send", "new", "echo hi", "--agent", "reviewer");
  expect(sent).toMatchObject({ code: 4, stderr: expect.stringContaining("no agent reviewer") });
});

test("an agent begins with its class, and what is said of it comes first", async () => {
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

test.each([
  ["an unknown class", ["agent", "create", "x", "--class", "reviwer"], 4, "reviewer"],
  ["an unknown class to show", ["agent", "show", "x", "--class"], 4, "reviewer"],
  ["neither a provider nor a class", ["agent", "create", "x"], 2, "--provider or --class"],
  ["a class without a provider", ["agent", "create", "x", "--class"], 2, "--provider"],
  [
    "a class of another provider",
    ["agent", "create", "x", "--class", "reviewer", "--provider", "codex"],
    2,
    "Class reviewer is one of scripted",
  ],
  [
    "a class that is there",
    ["agent", "create", "reviewer", "--class", "--provider", "scripted"],
    2,
    "already is a class",
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
