import { expect, test } from "vitest";
import { z } from "zod";
import { parse } from "./parse.ts";
import { sendSchema } from "./schemas.ts";

const counted = z.strictObject({ limit: z.coerce.number().positive().optional() });

test.each([
  [sendSchema(), { key: "k" }, '"prompt" is missing.'],
  [sendSchema(), { key: "k", prompt: "" }, '"prompt" is empty.'],
  [sendSchema(), { key: "k", prompt: "x", promt: "y" }, '"promt" is not known here.'],
  [sendSchema(), { key: "-k", prompt: "x" }, '"key" is not a session key.'],
  [sendSchema(), 1, "The input is not valid: Invalid input: expected object, received number."],
  [counted, { limit: "many" }, '"limit" is not a number.'],
  [counted, { limit: 0 }, '"limit" is not valid: Too small: expected number to be >0.'],
  [z.object({ of: counted }), { of: { limits: 1 } }, '"of.limits" is not known here.'],
])("%# says %o: %o", (schema, input, message) => {
  expect(() => parse(schema, input)).toThrow(
    expect.objectContaining({ code: "bad-input", message }),
  );
});

test("what is right is given back as the schema makes it", () => {
  expect(parse(counted, { limit: "3" })).toEqual({ limit: 3 });
});
