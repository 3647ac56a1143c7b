/** `--set key=value` and `--answer question=answer`, given once or more often. */

import { UsageError } from "@reprise/core/errors/errors";

type Pairs = Readonly<Record<string, string>>;

export const assign = pairs("key=value", "Write --set key=value, as in --set sandbox=read-only.");

export const answering = pairs(
  "question=answer",
  'Write --answer "QUESTION=ANSWER" with the question as it was asked.',
);

function pairs(form: string, hint: string) {
  return (text: string, before: Pairs = {}): Record<string, string> => {
    const at = text.indexOf("=");
    const name = text.slice(0, at).trim();
    if (at < 1 || name === "")
      throw new UsageError("bad-setting", `"${text}" is not of the form ${form}.`, hint);
    return { ...before, [name]: text.slice(at + 1) };
  };
}
