import { expect, test } from "vitest";
import type { StoredMessage } from "./message.ts";
import { parseState, stateText, stateVersion } from "./state.ts";

const id = "11111111-1111-4111-8111-111111111111";
const messages: readonly StoredMessage[] = [
  { role: "user", content: 'remember "APPLE-739"\n{"sum":"x"}' },
  { role: "assistant", content: "", calls: [{ id: "a", name: "ls", arguments: "{}" }], model: "m" },
  { role: "tool", content: "é 字", call: "a" },
  { role: "assistant", content: "Yes.", model: "m" },
];
const text = stateText({ id, messages });
const parsed = (changed: string) => parseState(Buffer.from(changed));

test("a state is read as it was written, and a turn only adds lines", () => {
  expect(parsed(text)).toEqual({ id, messages });
  expect(text.startsWith(stateText({ id, messages: messages.slice(0, 2) }))).toBe(true);
  expect(parsed(stateText({ id, messages: [] }))).toEqual({ id, messages: [] });
});

test("cut at any byte, it is damaged or an earlier state", () => {
  const bytes = Buffer.from(text);
  for (let length = 0; length < bytes.length; length += 1) {
    const state = parseState(bytes.subarray(0, length));
    if (typeof state === "string") expect(state).toBe("damaged");
    else expect(state.messages).toEqual(messages.slice(0, state.messages.length));
  }
});

test("with any byte changed, it is damaged, or from a later version", () => {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    expect(typeof parseState(changed)).toBe("string");
  }
});

test.each<[string, string]>([
  ["nothing", ""],
  ["another file", "hello\n"],
  ["JSON of another kind", '{"a":1}\n'],
  ["a message taken out", text.split("\n").toSpliced(2, 1).join("\n")],
  ["two messages exchanged", text.split("\n").toSpliced(2, 1).toSpliced(4, 0, "").join("\n")],
  ["another id", text.replace(id, id.replace("1", "2"))],
])("%s is damaged", (_, changed) => {
  expect(parsed(changed)).toBe("damaged");
});

test("one of a later version is not judged", () => {
  const later = text.replace(`"version":${stateVersion}`, `"version":${stateVersion + 1}`);
  expect(parsed(later)).toBe("newer");
  expect(parsed(later.split("\n", 1)[0]!.concat("\nsomething else\n"))).toBe("newer");
});
