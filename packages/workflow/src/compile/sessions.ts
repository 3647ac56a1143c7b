/** Agents that keep their session although the file does not say so explicitly. */

import type { Draft, DraftNode } from "./draft.ts";

export function lowerSessions(draft: Draft): void {
  const returning = nodesFedBack(draft);
  for (const node of draft.nodes.values()) {
    const { written, id } = node;
    if (written.type !== "agent" || !needsSession(draft, node)) continue;
    const because = reason(node, returning.has(id));
    if (because === null) continue;
    node.session = { name: id, scope: "run" };
    draft.report.warn(
      "implied-session",
      written.data.resumable ? draft.at(node, "resumable") : node.position,
      `"${id}" keeps its session ${because}, as if "session: ${id}" were written.`,
      `Write session: ${id} in its data.`,
    );
  }
}

/** Wired messages are the memory of agents without a session. Here they are imported into a session. */
export function warnOfMessages({ edges, nodes, report }: Draft): void {
  for (const { source, target, position } of edges) {
    if (target.to !== "input" || nodes.get(target.node)?.written.type !== "agent") continue;
    const isHistory =
      target.port === "conversationHistory" ||
      (target.port === "sessionId" &&
        source.from === "output" &&
        source.port === "conversationHistory");
    if (!isHistory) continue;
    report.warn(
      "imported-messages",
      position,
      `Messages are wired to "${target.port}" of "${target.node}"; they are imported into a new session, once.`,
      "Wire its sessionId, or set session: to a name.",
    );
  }
}

/** It has no session, and none is wired to it. */
export function needsSession(draft: Draft, { id, written, mode, session }: DraftNode): boolean {
  if (written.type !== "agent" || session !== null) return false;
  return mode !== "inherit_resume" && !draft.isFed(id, "sessionId");
}

function reason({ written, inputs }: DraftNode, returns: boolean): string | null {
  if (written.type === "agent" && written.data.resumable) return "because it is resumable";
  if (inputs.has("taskPrompt") && inputs.has("iteratePrompt"))
    return "because it has a taskPrompt and an iteratePrompt";
  return returns ? "because its own output returns to it through a dock" : null;
}

/** Nodes that read a dock that they write themselves. */
function nodesFedBack({ edges }: Draft): Set<string> {
  const written = new Set(
    edges.flatMap(({ source, target }) =>
      target.to === "dock" ? [`${target.node} ${target.dock} ${source.node}`] : [],
    ),
  );
  return new Set(
    edges.flatMap(({ source, target }) =>
      source.from === "previous" && written.has(`${source.node} ${source.dock} ${target.node}`)
        ? [target.node]
        : [],
    ),
  );
}
