/** Refuses an empty option: `--folder "$DIR"` with DIR unset is a mistake. */

import { UsageError } from "@reprise/core/errors/errors";

export function nonEmpty(flag: string): (text: string) => string {
  return (text) => {
    if (text.trim() !== "") return text;
    throw new UsageError("empty-option", `${flag} is empty.`, "Give it a value, or leave it out.");
  };
}
