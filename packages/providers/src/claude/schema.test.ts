import { expect, test } from "vitest";
import { reader } from "./reader.ts";
import { takesSchema } from "./schema.ts";

const object = { type: "object", properties: { verdict: { enum: ["good", "bad"] } } };

test.each([
  [object, true],
  [{ $schema: "https://json-schema.org/draft/2020-12/schema", ...object }, true],
  [
    {
      ...object,
      properties: { list: { type: "array", items: { $ref: "#/$defs/x" } } },
      $defs: { x: {} },
    },
    true,
  ],
  [{ type: "array", items: object }, false],
  [{ anyOf: [object] }, false],
  [{ ...object, nonsense: 1 }, false],
  [{ ...object, properties: { at: { type: "string", "x-unit": "s" } } }, false],
  [{ ...object, description: "x".repeat(100 * 1024) }, false],
])("claude gets only schemas that it supports: %j", (schema, taken) => {
  expect(takesSchema(schema)).toBe(taken);
});

const call = (input: object) =>
  JSON.stringify({
    type: "assistant",
    message: { content: [{ type: "tool_use", id: "t1", name: "StructuredOutput", input }] },
    parent_tool_use_id: null,
  });
const result = (fields: object) => JSON.stringify({ type: "result", ...fields });

test("the call that is the answer is not reported as a tool", () => {
  const understood = reader();
  expect(understood.line(call({ verdict: "good" }))).toEqual([]);
  const text = '{"verdict":"good"}';
  const line = result({ is_error: false, terminal_reason: "completed", result: text });
  expect(understood.line(line)).toEqual([{ type: "result", text }]);
});

test("an answer that never fitted is still the answer", () => {
  const understood = reader();
  understood.line(call({ verdict: "fine" }));
  const line = result({ is_error: true, terminal_reason: "structured_output_retry_exhausted" });
  expect(understood.line(line)).toEqual([{ type: "result", text: '{"verdict":"fine"}' }]);
});
