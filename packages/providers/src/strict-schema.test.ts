import { expect, test } from "vitest";
import { isStrictSchema } from "./strict-schema.ts";

const strict = {
  type: "object",
  properties: { verdict: { type: "string" }, parts: { type: "array", items: { type: "number" } } },
  required: ["verdict", "parts"],
  additionalProperties: false,
};

test.each([
  [strict, true],
  [{ $schema: "https://json-schema.org/draft/2020-12/schema", ...strict }, true],
  [{ ...strict, properties: { ...strict.properties, parts: strict } }, true],
  [{ ...strict, required: ["verdict"] }, false],
  [{ ...strict, additionalProperties: true }, false],
  [{ type: "object", properties: { verdict: { type: "string" } }, required: ["verdict"] }, false],
  [{ ...strict, properties: { verdict: { type: "object" }, parts: {} } }, false],
  [{ ...strict, minProperties: 1 }, false],
  [{ type: "string" }, false],
])("only strict schemas are sent as such schemas: %j", (schema, taken) => {
  expect(isStrictSchema(schema)).toBe(taken);
});
