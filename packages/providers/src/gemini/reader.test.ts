import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { reader } from "./reader.ts";

const now = new Date("2026-11-19T18:00:00Z");
const read = (lines: readonly (object | string)[], exit = { code: 0, stderr: "" }) => {
  const { line, end } = reader(() => now);
  const words = lines.map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
  return [...words.flatMap((each) => line(each)), ...end(exit)];
};
const recorded = (name: string) =>
  readFileSync(join(import.meta.dirname, `fixtures/${name}.jsonl`), "utf8").split("\n");
const kinds = (events: { type: string }[]) => events.map(({ type }) => type);
const result = (more: object) => ({ type: "result", status: "success", ...more });
const says = (content: string) => ({ type: "message", role: "assistant", content, delta: true });
/** As gemini words the failure of a request. */
const failed = (message: string) =>
  read([result({ status: "error", error: { type: "unknown", message } })]).at(-1);
const service = (code: number, message: string, status = "") =>
  `[API Error: ${JSON.stringify({ error: { code, message, status } })}]`;
const later =
  "\nPlease wait and try again later. To increase your limits, request a quota increase through AI Studio, or switch to another /auth method";

describe("reader", () => {
  test("a recorded turn with a command", () => {
    const events = read(recorded("tool-turn"));
    expect(kinds(events)).toEqual(["session", "model", "tool", "text", "usage", "result"]);
    expect(events[0]).toEqual({ type: "session", id: "7d1f6c52-3c0e-4a1b-9a55-2f8e0b6c41d3" });
    expect(events[2]).toEqual({ type: "tool", name: "run_shell_command" });
    expect(events[4]).toMatchObject({ usage: { cachedWrite: null } });
    expect(events.at(-1)).toMatchObject({ text: expect.stringMatching(/^It said: /) });
  });

  test("a recorded turn with three tools, two of which were denied", () => {
    const events = read(recorded("denied-turn"));
    expect(events.filter(({ type }) => type === "denied")).toEqual([
      { type: "denied", tool: "write_file", detail: "denied.txt", id: "write_file__call_1" },
      { type: "denied", tool: "read_file", detail: "/etc/hostname", id: "read_file__call_2" },
    ]);
    const { usage } = events.find((event) => event.type === "usage")!;
    expect(usage).toEqual({ cachedRead: 9768, cachedWrite: null, uncached: 9992, output: 73 });
  });

  test("a tool that the access takes away is denied; one that does not exist is not", () => {
    const use = (name: string) => [
      { type: "tool_use", tool_name: name, tool_id: name, parameters: { command: "ls" } },
      {
        ...{ type: "tool_result", tool_id: name, status: "error" },
        error: { type: "tool_not_registered", message: `Tool "${name}" not found.` },
      },
    ];
    expect(kinds(read([...use("run_shell_command"), ...use("made_up")])).slice(0, -1)).toEqual([
      ...["tool", "denied", "tool"],
    ]);
  });

  test("what is said before a tool is not the answer", () => {
    const tool = { type: "tool_use", tool_name: "glob", tool_id: "1" };
    const events = read([says("I look. "), tool, says("It is "), says("there."), result({})]);
    expect(events.at(-1)).toEqual({ type: "result", text: "It is there." });
  });

  test("an answer without text does not fail; a stopped loop does", () => {
    const error = (message: string) => ({ type: "error", severity: "error", message });
    const empty = error("The model returned an empty response with no text or thoughts. …");
    expect(read([empty, result({ status: "error" })]).at(-1)).toEqual({ type: "result", text: "" });
    const loop = error("Loop detected, stopping execution");
    expect(read([says("a"), loop, result({})]).at(-1)).toMatchObject({
      failure: { kind: "unknown", message: "Loop detected, stopping execution" },
    });
  });

  test.each<[string, object]>([
    [service(400, "Invalid value at 'generation_config.top_k' (TYPE_INT32)"), { kind: "unknown" }],
    [
      service(400, "Please ensure that function call turn comes immediately after a user turn."),
      { kind: "poisoned" },
    ],
    [service(400, "Unable to process input image."), { kind: "poisoned" }],
    [
      service(400, "The input token count (9) exceeds the maximum number of tokens allowed (8)."),
      { kind: "poisoned", overflow: true },
    ],
    [service(400, "API key not valid. Please pass a valid API key."), { kind: "login" }],
    [service(401, "Request had invalid authentication credentials."), { kind: "login" }],
    [service(403, "Permission denied"), { kind: "login", hint: expect.stringMatching(/^Log in/) }],
    [service(404, "models/nope is not found for API version v1beta"), { kind: "request" }],
    [service(500, "An internal error has occurred."), { kind: "transient" }],
    ["[API Error: The model is overloaded. Please try again later.]", { kind: "transient" }],
    ["[API Error: terminated]", { kind: "transient" }],
    ["[API Error: Incomplete JSON segment at the end]", { kind: "request" }],
    [
      `[API Error: Resource has been exhausted (e.g. check quota).]${later}`,
      {
        kind: "transient",
        throttled: true,
        message: "Resource has been exhausted (e.g. check quota).",
      },
    ],
    [`[API Error: You have exhausted your daily quota on this model.]${later}`, { kind: "quota" }],
    [
      "[API Error: You have exhausted your capacity on this model. Your quota will reset after 1h2m3s.]",
      { kind: "quota", resetAt: now.getTime() + 3_723_000 },
    ],
    [
      `[API Error: You exceeded your current quota.\nSuggested retry after 7200s.]${later}`,
      { kind: "quota", resetAt: now.getTime() + 7_200_000 },
    ],
    [
      "[API Error: You exceeded your current quota. Please retry in 34.5s.]",
      { kind: "quota", resetAt: now.getTime() + 34_500 },
    ],
  ])("%s", (message, expected) => {
    expect(failed(message)).toMatchObject({ type: "failure", failure: expected });
  });

  test("an answer that quotes an error is an answer", () => {
    const words = service(400, "Please ensure that function call turn comes …");
    expect(read([says(words), result({})]).at(-1)).toEqual({ type: "result", text: words });
  });

  test.each([
    [42, 'Error resuming session: Invalid session identifier "x".\n  Searched …', "missing"],
    [42, "Error resuming session: No previous sessions found for this project.", "missing"],
    [42, 'Error starting session: Session ID "x" already exists. Use --resume …', "in-use"],
    [42, "No input provided via stdin. Input can be provided by …", "unsent"],
    [41, "When using Gemini API, you must specify the GEMINI_API_KEY …\nUpdate it", "login"],
    [55, "Gemini CLI is not running in a trusted directory. To proceed …", "request"],
    [1, "Warning: something\nAnother thing", "unknown"],
  ])("exit code %i with %j is %s", (code, stderr, kind) => {
    const noise = "Ripgrep is not available. Falling back to GrepTool.\n";
    expect(read([], { code, stderr: noise + stderr })).toMatchObject([{ failure: { kind } }]);
  });

  test("without a result, 0 is not a success; a signal is an interruption", () => {
    expect(read([says("half")], { code: 0, stderr: "" }).at(-1)).toMatchObject({
      failure: { kind: "transient" },
    });
    expect(read([], { code: 137, stderr: "" })).toEqual([]);
  });

  test("other lines are ignored", () => {
    expect(kinds(read(["noise", "{", "null", "{}", result({})]))).toEqual(["result"]);
  });
});
