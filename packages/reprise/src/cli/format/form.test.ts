import type { InboxItemView } from "@reprise/core/api/reprise";
import { expect, test } from "vitest";
import { formAnswer } from "./form.ts";

type Field = InboxItemView["fields"][number];

const field = (name: string, more: Partial<Field> = {}): Field => ({
  name,
  label: name,
  type: "string",
  choices: [],
  required: true,
  ...more,
});

test("the answer to a form names its choices and every field with its possible values", () => {
  const fields = [
    field("version"),
    field("copies", { type: "number" }),
    field("signed", { type: "boolean", required: false }),
    field("channel", { type: "choice", choices: ["stable", "beta"], default: "beta" }),
  ];
  const item = { id: "k3v9m2xqaaaabbbbcccc", choices: ["release", "rework"], fields };
  expect(formAnswer(item)).toBe(
    "reprise answer k3v9m2xq release|rework --value version=… --value copies=NUMBER [--value signed=true|false] [--value channel=stable|beta]",
  );
});
