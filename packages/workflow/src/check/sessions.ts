/** Checks that no two nodes can use one session at the same time. */

import { error, type Finding, quoted } from "../finding.ts";
import type { AgentNode } from "../graph.ts";
import { areExclusive, type Guards, isNoNarrower } from "./branches.ts";
import { loopsAround, type ValidationIndex } from "./graph-index.ts";
import type { NodeOrder } from "./order.ts";
import { type SharedSession, sharedSessions } from "./session-users.ts";

export function checkSessions(
  index: ValidationIndex,
  order: NodeOrder,
  guards: ReadonlyMap<string, Guards>,
): Finding[] {
  const reported = new Set<string>();
  const line = new Map([...index.nodes.keys()].map((id, at) => [id, at]));
  return sharedSessions(index).flatMap((session) =>
    [...usersByFrame(session.users, index).values()]
      .flatMap((users) => clashes(users, order, guards))
      .map((pair) => pair.toSorted((a, b) => line.get(a.id)! - line.get(b.id)!) as typeof pair)
      .filter(([one, other]) => {
        // The same two nodes may share a session under two names.
        const pair = `${one.id} ${other.id}`;
        if (reported.has(pair)) return false;
        reported.add(pair);
        return true;
      })
      .map(([one, other]) => clashFinding(session, one, other)),
  );
}

/** For each frame, its nodes that use the session: directly, or as a loop that contains a user. */
function usersByFrame(
  users: readonly AgentNode[],
  index: ValidationIndex,
): Map<string, Map<string, AgentNode>> {
  const frames = new Map<string, Map<string, AgentNode>>();
  for (const user of users)
    for (const { id, parent } of [user, ...loopsAround(user, index.nodes)]) {
      const frame = frames.get(parent ?? "") ?? new Map<string, AgentNode>();
      if (!frame.has(id)) frame.set(id, user);
      frames.set(parent ?? "", frame);
    }
  return frames;
}

/** Pairs in which neither node waits for the other. The nodes are visited in order. `last` has, in the same
 * order, the nodes that a later one must still wait for, so each node is compared with few others.
 */
function clashes(
  users: ReadonlyMap<string, AgentNode>,
  order: NodeOrder,
  guards: ReadonlyMap<string, Guards>,
): [AgentNode, AgentNode][] {
  const byRank = new Map([...users].map(([id, user]) => [order.rank.get(id)!, user]));
  const guard = (rank: number) => guards.get(order.nodes[rank]!.id) ?? null;
  const found: [AgentNode, AgentNode][] = [];
  const last: number[] = [];
  for (const rank of [...byRank.keys()].sort((one, other) => one - other)) {
    const earlier = order.ancestors(rank, last[0] ?? rank);
    const own = guard(rank);
    const other = last.find((one) => !earlier.has(one) && !areExclusive(guard(one), own));
    if (other !== undefined) {
      found.push([byRank.get(other)!, byRank.get(rank)!]);
      continue;
    }
    // A node that only a narrower branch waits for may still run beside a node of the other branch.
    // Nothing before the nearest branch can depend on its outcome.
    const branch = nearestBranch(own, order);
    const kept = last.findLastIndex((one) => one < branch) + 1;
    const open = last.splice(kept);
    last.push(...open.filter((one) => !(earlier.has(one) && isNoNarrower(own, guard(one)))), rank);
  }
  return found;
}

function nearestBranch(guards: Guards, { rank }: NodeOrder): number {
  return Math.max(-1, ...(guards ?? new Map<string, string>()).keys().map((id) => rank.get(id)!));
}

function clashFinding({ called, name }: SharedSession, one: AgentNode, other: AgentNode): Finding {
  return error(
    other,
    "parallel-session",
    `Nodes ${quoted([one.id, other.id])} may run at the same time, and both continue ${called}.`,
    name === null
      ? "Let one wait for the other, or give one of them its own session."
      : `Let one wait for the other, or replace the session of one of them with "fork: ${name}".`,
  );
}
