import type { FormField } from "@reprise/workflow/graph";
import { expect, test } from "vitest";
import { formValues, givenValues } from "./form.ts";

const field = (name: string, more: Partial<FormField> = {}): FormField => ({
  name,
  label: name,
  type: "string",
  choices: [],
  required: false,
  ...more,
});
const fields = [
  field("reason", { required: true }),
  field("budget", { type: "number", default: 10 }),
  field("urgent", { type: "boolean" }),
  field("region", { type: "choice", choices: ["north", "south"] }),
];

test("defaults are filled in and texts are read as what the field is", () => {
  expect(formValues(fields, { reason: "ok" })).toEqual({ reason: "ok", budget: 10 });
  const given = { reason: "ok", budget: "2.5", urgent: "true", region: "south" };
  expect(formValues(fields, given)).toEqual({
    reason: "ok",
    budget: 2.5,
    urgent: true,
    region: "south",
  });
});

test.each([
  [{}, "missing-field", 'Give it with the option "values.reason".'],
  [{ raeson: "x" }, "unknown-field", 'Did you mean "reason"?'],
  [{ reason: "x", budget: "lots" }, "wrong-field", 'Give it with the option "values.budget".'],
  [{ reason: "x", urgent: 1 }, "wrong-field", 'Give it with the option "values.urgent".'],
  [{ reason: "x", region: "soth" }, "wrong-field", 'Did you mean "south"?'],
])("%j is not taken", (given, code, hint) => {
  expect(() => formValues(fields, given)).toThrow(
    expect.objectContaining({ code, hint, exitCode: 2 }),
  );
});

test("S21: a choice other than the first takes the values that are given, and needs none", () => {
  expect(givenValues(fields, { budget: "2.5" })).toEqual({ budget: 2.5 });
  expect(givenValues(fields, {})).toEqual({});
  expect(() => givenValues(fields, { budget: "lots" })).toThrow(/must be a number/);
});

test.each(["", "  "])("W18: a required field cannot be %j", (reason) => {
  expect(() => formValues(fields, { reason })).toThrow(
    expect.objectContaining({ code: "missing-field", exitCode: 2 }),
  );
  expect(givenValues(fields, { reason })).toEqual({ reason });
});
