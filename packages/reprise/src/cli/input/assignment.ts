/** Options that take a name and a value, and can be repeated: `--set key=value`, `--input name=value`. */

import { UsageError } from "@reprise/core/errors/errors";

type Pairs = Readonly<Record<string, string>>;

export const assign = pairs("key=value", "Write --set key=value, as in --set sandbox=read-only.");

export const answering = pairs(
  "question=answer",
  'Write --answer NUMBER="ANSWER", or --answer "QUESTION=ANSWER" with the question as it was asked.',
);

export const giving = pairs("name=value", 'Write --input NAME=VALUE, as in --input task="Fix it."');

export const valuing = pairs(
  "field=value",
  "Write --value FIELD=VALUE, as in --value version=1.4.0.",
);

function pairs(form: string, hint: string) {
  return (text: string, before: Pairs = {}): Record<string, string> => {
    const at = text.indexOf("=");
    const name = text.slice(0, at).trim();
    if (at < 1 || name === "")
      throw new UsageError("bad-setting", `"${text}" is not of the form ${form}.`, hint);
    if (Object.hasOwn(before, name))
      throw new UsageError("given-twice", `"${name}" is given twice.`, "Give it once.");
    return { ...before, [name]: text.slice(at + 1) };
  };
}
