/** Finds what is written and has no effect, or another one than it seems. */

import { error, type Finding, warning } from "../finding.ts";
import type { BranchNode, FunctionNode, GraphNode, Port, ShellNode } from "../graph.ts";
import type { CheckOptions } from "./check.ts";
import type { ValidationIndex } from "./graph-index.ts";

/** The first version of the loader that refuses what has no effect. */
export const refusesUnused = 3;

export function checkUnused(index: ValidationIndex, { format }: CheckOptions): Finding[] {
  const refused = format >= refusesUnused ? error : warning;
  return [...index.nodes.values()].flatMap((node) => [
    ...unusedTimeout(node, refused),
    ...(node.type === "shell" || node.type === "function" ? cannotContinue(node, refused) : []),
    ...(node.type === "branch" ? neverEqual(node, index) : []),
    ...(node.type === "shell" ? quotedValue(node) : []),
  ]);
}

/** Only work can take too long. */
const limited: readonly GraphNode["type"][] = ["agent", "shell", "function", "workdir"];

function unusedTimeout(node: GraphNode, refused: typeof error): Finding[] {
  if (node.timeout === null || limited.includes(node.type)) return [];
  return [
    refused(
      node,
      "unused-timeout",
      `The timeout of "${node.id}" has no effect, because it is a ${node.type}.`,
      node.type === "gate"
        ? "Write deadline: and onDeadline: instead."
        : "Give the nodes that do the work a timeout.",
    ),
  ];
}

/** Only an agent has a session that can be continued. */
function cannotContinue(node: ShellNode | FunctionNode, refused: typeof error): Finding[] {
  if (node.onInterrupted !== "continue") return [];
  return [
    refused(
      node,
      "cannot-continue",
      `Node "${node.id}" has onInterrupted: continue, but a ${node.type} that was cut off cannot be continued.`,
      "Write rerun to run it again from its beginning, or fail.",
    ),
  ];
}

/** A text is never equal to a number or a boolean. */
function neverEqual(node: BranchNode, { nodes, into }: ValidationIndex): Finding[] {
  if (node.when.test !== "equals") return [];
  const { value } = node.when;
  const wanted = typeof value;
  if (wanted !== "string" && wanted !== "number" && wanted !== "boolean") return [];
  return (into.get(node.id) ?? []).flatMap((edge) => {
    const { source, target } = edge;
    if (target.to !== "input" || target.port !== "value" || source.from !== "output") return [];
    const outputs: readonly Port[] = nodes.get(source.node)?.outputs ?? [];
    const given = outputs.find(({ name }) => name === source.port)?.type;
    if (given === undefined || given === "any" || given === "json" || given === wanted) return [];
    return warning(
      edge,
      "never-equal",
      `Branch "${node.id}" compares ${source.node}.${source.port}, a ${given}, with the ${wanted} ${JSON.stringify(value)}, so they are never equal.`,
      given === "string" ? `Write equals: "${value}".` : `Compare it with a ${given}.`,
    );
  });
}

/** The shell does not expand a variable in single quotes, so the script would get the variable's name. */
function quotedValue(node: ShellNode): Finding[] {
  // In a here document quotes are text.
  if (node.script.parts.some((part) => typeof part === "string" && part.includes("<<"))) return [];
  let quote: string | null = null;
  for (const part of node.script.parts) {
    if (typeof part === "string") quote = quoteAfter(part, quote);
    else if (quote === "'")
      return [
        warning(
          node,
          "quoted-value",
          `A value in the script of "${node.id}" is in single quotes, where the shell does not insert it.`,
          "Write double quotes around it.",
        ),
      ];
  }
  return [];
}

/** The quote that is open behind a piece of a script. */
function quoteAfter(text: string, before: string | null): string | null {
  let quote = before;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]!;
    if (sign === "\\" && quote !== "'") at += 1;
    else if (quote === null && sign === "#" && /\s/.test(text[at - 1] ?? " ")) {
      const end = text.indexOf("\n", at);
      at = end < 0 ? text.length : end;
    } else if (quote === null && (sign === "'" || sign === '"')) quote = sign;
    else if (sign === quote) quote = null;
  }
  return quote;
}
