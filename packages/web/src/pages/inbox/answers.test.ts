import { expect, test } from "vitest";
import { firstValues, givenValues } from "./form-fields.tsx";

test("a form begins with its defaults, and what stays empty is not given", () => {
  const field = { label: "x", required: false, choices: [] };
  const fields = [
    { ...field, name: "item", type: "string" as const },
    { ...field, name: "amount", type: "number" as const, default: 2 },
    { ...field, name: "wrapped", type: "boolean" as const },
  ];
  const values = firstValues(fields);
  expect(values).toEqual({ item: "", amount: "2", wrapped: false });
  expect(givenValues(fields, values)).toEqual({ amount: 2, wrapped: false });
});
