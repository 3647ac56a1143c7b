import type { InboxItemView } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import { gateAnswers } from "./form.ts";

type Field = InboxItemView["fields"][number];

const field = (name: string, more: Partial<Field> = {}): Field => ({
  name,
  label: name,
  type: "string",
  choices: [],
  required: true,
  ...more,
});

test("S21: each choice of a form has a command that works as it is printed", () => {
  const fields = [
    field("version"),
    field("copies", { type: "number" }),
    field("signed", { type: "boolean", required: false }),
    field("channel", { type: "choice", choices: ["stable", "beta"], default: "beta" }),
  ];
  const item = { id: "k3v9m2xqaaaabbbbcccc", choices: ["release", "rework"], fields };
  expect(gateAnswers(item)).toEqual([
    "reprise answer k3v9m2xq release --value version=TEXT --value copies=1",
    "reprise answer k3v9m2xq rework",
  ]);
  expect(gateAnswers({ ...item, choices: ["ship it"], fields: [field("a b")] })).toEqual([
    "reprise answer k3v9m2xq 'ship it' --value 'a b=TEXT'",
  ]);
});
