import { expect, test } from "vitest";
import type { StoredMessage } from "./message.ts";
import { type RequestOptions, requestOf } from "./request.ts";

const options: RequestOptions = {
  model: "gpt-x",
  contextTokens: null,
  schema: null,
  schemaRequest: null,
  parameters: {},
};
const user = (content: string): StoredMessage => ({ role: "user", content });
const said = (content: string): StoredMessage => ({ role: "assistant", content });
const instructed = (text: string, prompt: string) =>
  user(`<reprise:instructions>\n${text}\n</reprise:instructions>\n\n${prompt}`);
const kept = [instructed("Be brief.", "one"), said("1"), user("two"), said("2")];

test("the whole conversation, then the prompt", () => {
  const { body, earlier, notes } = requestOf(kept, [user("three")], options);
  expect(body).toEqual({
    model: "gpt-x",
    messages: [...kept, user("three")],
    stream: true,
    stream_options: { include_usage: true },
  });
  expect([earlier, notes]).toEqual([4, []]);
});

test("instructions are sent although their turn is left out, and the newest of them", () => {
  const changed = user(
    `Your instructions have changed; these replace the earlier ones:\n\n${instructed("Be rude.", "two").content}`,
  );
  const sent = (conversation: readonly StoredMessage[]) => {
    const request = requestOf(conversation, [user("three")], { ...options, contextTokens: 20 });
    return (request.body.messages as { content: string }[]).map(({ content }) => content);
  };
  const long = said("x".repeat(100));
  expect(sent([instructed("Be brief.", "one"), long])).toEqual([
    "<reprise:instructions>\nBe brief.\n</reprise:instructions>\n\nthree",
  ]);
  const [opening] = sent([instructed("Be brief.", "one"), said("1"), changed, long]);
  expect(opening).toContain("these replace the earlier ones");
  expect(opening).not.toContain("Be brief.");
});

test("what was not sent is noted", () => {
  const dangling = { ...said(""), calls: [{ id: "a", name: "ls", arguments: "{}" }] };
  const request = requestOf([...kept, dangling], [user("three")], {
    ...options,
    contextTokens: 5,
  });
  expect(request.notes).toEqual([
    "Tool calls or results of the history without a counterpart were not sent: 1.",
    expect.stringMatching(/^The oldest 2 turns were left out .* limit of 5 \(contextTokens\)\.$/),
  ]);
});

test("a schema is sent as such, or in the last message of the user", () => {
  const schema = { type: "object" };
  expect(requestOf([], [user("one")], { ...options, schema }).body.response_format).toEqual({
    type: "json_schema",
    json_schema: { name: "answer", strict: true, schema },
  });
  const asked = requestOf(kept, [user("three")], { ...options, schemaRequest: "As JSON." }).body;
  expect(asked.response_format).toBeUndefined();
  expect(asked.messages).toEqual([...kept, user("three\n\nAs JSON.")]);
});

test("further parameters do not replace what Reprise sends", () => {
  const { body } = requestOf([], [user("one")], {
    ...options,
    parameters: { temperature: 0.2, model: "other" },
  });
  expect(body).toMatchObject({ temperature: 0.2, model: "gpt-x" });
});
