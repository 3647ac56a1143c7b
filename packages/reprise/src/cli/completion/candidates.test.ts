import { expect, test } from "vitest";
import { createProgram } from "../program.ts";
import { completionAt } from "./candidates.ts";

const program = createProgram(() => async () => {});

const at = (...words: string[]) => completionAt(program, words);
const values = (...words: string[]) => at(...words).candidates.map(({ value }) => value);

test("completes commands and subcommands", () => {
  expect(values("")).toEqual(expect.arrayContaining(["session", "agent", "why", "completion"]));
  expect(values("se")).toEqual(["send", "session"]);
  expect(values("sessions", "s")).toContain("send");
  expect(values("sessions", "s")).not.toContain("list");
  expect(at("sessions", "").candidates.every(({ about }) => about.endsWith("."))).toBe(true);
});

test("completes a command's own and global options, without hidden and already given ones", () => {
  const options = values("sessions", "send", "--");
  expect(options).toEqual(expect.arrayContaining(["--agent", "--busy", "--home", "--help"]));
  expect(options).not.toContain("--surface");
  expect(options).not.toContain("--fresh");
  expect(values("sessions", "send", "--json", "--")).not.toContain("--json");
  expect(values("sessions", "list", "--li")).toEqual(["--limit"]);
  expect(values("sessions", "move", "k", "--ho")).toEqual(["--home"]);
});

test.each([
  ["a key", ["sessions", "show", ""], "sessions"],
  ["a key behind options", ["sessions", "show", "--json", "--home", "x", ""], "sessions"],
  ["a key by another name of the command", ["sessions", "rm", ""], "sessions"],
  ["a turn or a key", ["why", "f"], "sessions"],
  ["a key as a value", ["sessions", "list", "--after", ""], "sessions"],
  ["an agent as a value", ["sessions", "send", "k", "--agent", ""], "agents"],
  ["an agent as a value in the same word", ["sessions", "send", "k", "--agent=c"], "agents"],
  ["an agent to show", ["agent", "show", ""], "agents"],
  ["an agent to change", ["agent", "set", ""], "agents"],
  ["a setting of an agent", ["agent", "set", "a", "--unset", ""], null],
  ["a new agent", ["agent", "create", ""], null],
  ["a token to revoke", ["token", "revoke", ""], "tokens"],
  ["a new token", ["token", "create", ""], null],
  ["a run to cancel", ["cancel", ""], "runs"],
  ["a webhook", ["webhook", "remove", ""], "webhooks"],
  ["a provider", ["agent", "create", "a", "--provider", ""], "providers"],
  ["a folder", ["sessions", "send", "k", "--folder", ""], "folders"],
  ["an agent's home", ["sessions", "move", "k", "--home", ""], "folders"],
  ["a file as a value", ["sessions", "send", "k", "--file", ""], "files"],
  ["a file", ["restore", ""], "files"],
  ["a workflow", ["workflow", "graph", ""], "files"],
  ["one of several workflows", ["workflow", "validate", "a.yaml", "b.yaml", ""], "files"],
  ["a prompt", ["sessions", "send", "k", ""], null],
  ["more than there is", ["sessions", "show", "k", ""], null],
  ["a key behind --", ["sessions", "show", "--", ""], "sessions"],
  ["an unknown command", ["nothing", ""], null],
])("%s: %j", (_, words, source) => {
  expect(at(...words).source).toBe(source);
});

test("completes choices of an option, an argument and a setting", () => {
  expect(values("sessions", "send", "k", "hi", "--busy", "")).toEqual([
    "wait",
    "queue",
    "skip",
    "fail",
  ]);
  expect(values("sessions", "send", "k", "hi", "--busy=w")).toEqual(["wait"]);
  expect(values("workflow", "graph", "a.yaml", "--format", "")).toEqual(["text", "mermaid", "dot"]);
  expect(values("completion", "")).toEqual(["bash", "zsh", "fish"]);
  expect(values("config", "set", "onRes")).toEqual(["onResumeFailure"]);
  expect(values("config", "set", "onResumeFailure", "")).toEqual(["reseed", "fail"]);
  expect(values("config", "set", "toString", "")).toEqual([]);
});

test("finds the named home at any position", () => {
  expect(at("--home", "/a", "sessions", "show", "").home).toBe("/a");
  expect(at("sessions", "show", "--home=/b", "").home).toBe("/b");
  expect(at("sessions", "--home", "/c", "show", "").home).toBe("/c");
  expect(at("sessions", "show", "").home).toBeUndefined();
  // After `move` it is the agent's home.
  expect(at("--home", "/a", "sessions", "move", "--home", "/d", "").home).toBe("/a");
  expect(at("sessions", "move", "--home=/d", "").home).toBeUndefined();
});

test("nothing is an option after --", () => {
  expect(values("sessions", "send", "--", "-")).toEqual([]);
});
