/** `--set key=value`, given once or more often. */

import { UsageError } from "@reprise/core/errors/errors";

export function assign(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const at = text.indexOf("=");
  const name = text.slice(0, at).trim();
  if (at < 1 || name === "")
    throw new UsageError(
      "bad-setting",
      `"${text}" is not of the form key=value.`,
      "Write --set key=value, as in --set sandbox=read-only.",
    );
  return { ...before, [name]: text.slice(at + 1) };
}
