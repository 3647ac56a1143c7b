import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { maxPromptBytes } from "@reprise/core/api/schemas";
import { afterAll, beforeAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";
import { testSurroundings } from "../test-surroundings.ts";
import { duration } from "./duration.ts";
import { assign, continuityRequest, readPrompt } from "./turn.ts";
import { wholeNumber } from "./whole-number.ts";
import { readWorkflow } from "./workflow-file.ts";

let folder: string;
beforeAll(async () => {
  folder = temporaryFolder("input");
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ["500ms", 500],
  ["90s", 90_000],
  ["10m", 600_000],
  ["2h", 7_200_000],
  ["1d", 86_400_000],
])("%s is %i ms", (text, milliseconds) => {
  expect(duration(text)).toBe(milliseconds);
});

test.each(["", "90", "0s", "-1s", "1w", "s", "1e3s"])("%o is not a duration", (text) => {
  expect(() => duration(text)).toThrow("is not a duration");
});

test("settings are collected, and a value may have an equals sign", () => {
  expect(assign("b=x=y", assign("a=1"))).toEqual({ a: "1", b: "x=y" });
  expect(assign("a=")).toEqual({ a: "" });
});

test.each(["a", "=1", " =1", ""])("%o is not a setting", (text) => {
  expect(() => assign(text)).toThrow("is not of the form key=value");
});

test.each(["0", "-1", "1.5", "x", ""])("%o is not a count", (text) => {
  expect(() => wholeNumber(text)).toThrow("is not a whole number");
});

test("a folder is relative to where the command is run", () => {
  const request = continuityRequest("/here", "k", { folder: "../other", reseed: true });
  expect(request).toEqual({
    key: "k",
    agent: null,
    continuity: "reseed",
    folder: "/other",
    model: null,
  });
});

test("a prompt comes from the argument, from standard input or from a file", async () => {
  await writeFile(join(folder, "prompt.md"), "from the file\n");
  const surroundings = testSurroundings({ cwd: folder, stdin: "from the pipe\n" });
  expect(await readPrompt(surroundings, "from the argument", undefined)).toBe("from the argument");
  expect(await readPrompt(surroundings, "-", undefined)).toBe("from the pipe\n");
  expect(await readPrompt(surroundings, undefined, "prompt.md")).toBe("from the file\n");
});

test.each([
  ["no prompt", undefined, undefined, "no-prompt"],
  ["an empty one", " \n", undefined, "empty-prompt"],
  ["an empty pipe", "-", undefined, "empty-prompt"],
  ["two", "hello", "prompt.md", "two-prompts"],
  ["a folder", undefined, ".", "file-is-folder"],
])("%s is a usage error", async (_, argument, file, code) => {
  const reading = readPrompt(testSurroundings({ cwd: folder }), argument, file);
  await expect(reading).rejects.toMatchObject({ code, exitCode: 2 });
});

test("S21: a prompt or workflow that is not UTF-8 is refused, not changed", async () => {
  const bytes = Buffer.from("name: caf\xe9\n", "latin1");
  await writeFile(join(folder, "latin.md"), bytes);
  const piped = { cwd: folder, stdin: Readable.from([bytes]) };
  const refused = (named: string) => ({
    code: "not-utf8",
    exitCode: 2,
    message: expect.stringContaining(`${named} is not valid UTF-8`),
  });
  await expect(readPrompt(piped, undefined, "latin.md")).rejects.toMatchObject(
    refused(`The prompt file ${join(folder, "latin.md")}`),
  );
  await expect(readPrompt(piped, "-", undefined)).rejects.toMatchObject(refused("The prompt"));
  await expect(readWorkflow(piped, "latin.md")).rejects.toMatchObject(
    refused("The workflow latin.md"),
  );
});

test("a missing file is not found", async () => {
  const reading = readPrompt(testSurroundings({ cwd: folder }), undefined, "absent.md");
  await expect(reading).rejects.toMatchObject({ code: "no-file", exitCode: 4 });
});

test("accepts 8 MiB and not one byte more, from any source", async () => {
  const longest = "é".repeat(maxPromptBytes / 2);
  expect(await readPrompt(testSurroundings({ stdin: longest }), "-", undefined)).toBe(longest);
  const tooLong = `${longest}x`;
  const refused = { code: "prompt-too-long", exitCode: 2 };
  const piped = testSurroundings({ stdin: tooLong });
  await expect(readPrompt(piped, "-", undefined)).rejects.toMatchObject(refused);
  await expect(readPrompt(piped, tooLong, undefined)).rejects.toMatchObject(refused);
});

test("stops reading an endless input", async () => {
  const reading = readPrompt(testSurroundings(), undefined, "/dev/zero");
  await expect(reading).rejects.toMatchObject({ code: "prompt-too-long" });
});
