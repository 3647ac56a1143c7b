import { expect, test } from "vitest";
import { askAgain, checkSchema, readStructured, schemaInstructions } from "./structured-output.ts";

const schema = {
  type: "object",
  properties: { verdict: { enum: ["good", "bad"] }, count: { type: "integer" } },
  required: ["verdict"],
};

test.each([
  ["all of it", '{"verdict":"good","count":2}'],
  ["with space around it", '\n {"verdict":"good","count":2}\n\n'],
  ["in a fence", 'Here it is:\n```json\n{"verdict":"good",\n"count":2}\n```\nDone.'],
  ["in a fence without a name", '```\n{"verdict":"good","count":2}\n```'],
  [
    "the last of several fences",
    '```json\n{"verdict":1}\n```\n```json\n{"verdict":"good","count":2}\n```',
  ],
  ["amid words", 'I say {"verdict":"good","count":2}, as ever.'],
])("an answer is read from its text: %s", (_, text) => {
  expect(readStructured(text, schema)).toEqual({ value: { verdict: "good", count: 2 } });
});

test("what does not fit is named with its place", () => {
  const read = readStructured('{"verdict":"maybe","count":1.5}', schema);
  expect(read).toEqual({
    problems: [
      expect.stringMatching(/^verdict: .*"good"\|"bad"/),
      expect.stringMatching(/^count: .*int/),
    ],
  });
  expect(readStructured("I do not know.", schema)).toEqual({
    problems: ["it contains no JSON"],
  });
  expect(askAgain(["count: too big"])).toContain("count: too big");
});

test("the value is what was said: nothing is added, and nothing left out", () => {
  const open = { type: "object", properties: { a: { type: "string", default: "q" } } };
  expect(readStructured('{"b":1}', open)).toEqual({ value: { b: 1 } });
  const closed = { ...open, additionalProperties: false };
  expect(readStructured('{"b":1}', closed)).toMatchObject({
    problems: [expect.stringContaining('"b"')],
  });
});

test("a list or a plain value can be demanded as well", () => {
  const list = { type: "array", items: { type: "number" } };
  expect(readStructured("They are [1, 2].", list)).toEqual({ value: [1, 2] });
  expect(readStructured("true", { type: "boolean" })).toEqual({ value: true });
});

test("an agent is sent the schema word for word", () => {
  expect(schemaInstructions(schema)).toContain(JSON.stringify(schema));
});

test("a schema that answers cannot be checked with is refused", () => {
  checkSchema({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema });
  expect(() => checkSchema({ type: "nope" })).toThrowError(
    expect.objectContaining({ code: "bad-schema", exitCode: 2 }),
  );
  expect(() => checkSchema({ not: { type: "string" } })).toThrow("not is not supported");
});
