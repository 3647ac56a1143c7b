import { expect, test } from "vitest";
import type { Pin } from "./pin.ts";
import { impliedModel, modelName } from "./policy.ts";

const pin = (more: Partial<Pin>) => ({ model: null, residue: null, ...more }) as Pin;
const residue = {} as NonNullable<Pin["residue"]>;

test.each<[string, string | null, Pin | null, string | undefined, string | null]>([
  ["a model is named", "b", pin({ model: "a", usual: "u", ran: "a" }), "default", null],
  ["a new session", null, null, "default", null],
  ["a provider that keeps no model", null, pin({ model: "a" }), undefined, null],
  ["on its default already", null, pin({ usual: "u", ran: "u" }), "default", null],
  ["a pin from before models were recorded", null, pin({}), "default", null],
  ["after a turn with a model", null, pin({ model: "a", usual: "u", ran: "a" }), "default", "u"],
  ["whose default never ran", null, pin({ model: "a", ran: "a" }), "default", "default"],
  ["after a turn that was cut off", null, pin({ usual: "u", ran: "u", residue }), "default", "u"],
])("%s", (_, wanted, from, word, expected) => {
  expect(impliedModel(wanted, from, word)).toBe(expected);
});

test("the default is shown with what it is", () => {
  expect(modelName("a", "b")).toBe("a");
  expect(modelName(null, "b")).toBe("default (b)");
  expect(modelName(null, undefined)).toBe("default");
});
