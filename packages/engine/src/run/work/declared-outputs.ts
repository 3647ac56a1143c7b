/** The outputs that a file declares for an agent or a shell node: each has the node's text, in the type of the port. */

import type { GraphNode } from "@reprise/workflow/graph";
import type { NamedValues } from "@reprise/workflow/run/event";

/** `known`: the names that have values of their own. */
export function declaredOutputs(
  { outputs }: Pick<GraphNode, "outputs">,
  text: string,
  known: NamedValues,
): NamedValues {
  const declared = outputs.filter(({ name }) => !Object.hasOwn(known, name));
  return Object.fromEntries(
    declared.map(({ name, type }) => {
      if (type === "json") return [name, asJson(text)];
      return [name, type === "number" ? asNumber(text) : text];
    }),
  );
}

/** The parsed text if all of it is JSON, otherwise the text, because JSON was not asked for. */
function asJson(text: string): unknown {
  const [, fenced] = /^```\w*\n(.*)\n```$/s.exec(text.trim()) ?? [];
  try {
    return JSON.parse(fenced ?? text);
  } catch {
    return text;
  }
}

/** A text that cannot be read as a number stays, and then fails the node. */
function asNumber(text: string): unknown {
  const number = Number(text);
  return text.trim() !== "" && Number.isFinite(number) ? number : text;
}
