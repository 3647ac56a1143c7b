/** Checks gates, retry gates and joins. */

import { error, type Finding, quoted, warning } from "../finding.ts";
import type { Near } from "../findings.ts";
import type { GateNode, JoinNode, RetryGateNode } from "../graph.ts";
import { type ValidationIndex, wiredInputs } from "./graph-index.ts";
import { duplicates } from "./names.ts";
import type { NodeOrder } from "./order.ts";

/** `order` is null if there is a cycle; then the order of nodes is unknown. */
export function checkGates(index: ValidationIndex, order: NodeOrder | null, near: Near): Finding[] {
  return [...index.nodes.values()].flatMap((node) => {
    switch (node.type) {
      case "gate":
        return gateProblem(node, near);
      case "retry-gate":
        return [...targetProblem(node, index, order, near), ...checksProblem(node, index)];
      case "join":
        return joinProblem(node, index);
      default:
        return [];
    }
  });
}

function gateProblem(node: GateNode, near: Near): Finding[] {
  const { id, choices, fields, onDeadline } = node;
  const findings: Finding[] = [];
  const twice = duplicates(choices, (choice) => choice);
  if (twice.length > 0)
    findings.push(
      error(
        node,
        "duplicate-choice",
        `Gate "${id}" lists the choice ${quoted([...new Set(twice)])} more than once.`,
        "List each choice once.",
      ),
    );
  if (onDeadline !== "fail" && !choices.includes(onDeadline.choice))
    findings.push(
      error(
        node,
        "unknown-choice",
        `The onDeadline of gate "${id}" is "${onDeadline.choice}", which is not one of its choices.`,
        near(onDeadline.choice, choices),
      ),
    );
  else if (onDeadline !== "fail" && node.deadline === null)
    findings.push(
      warning(
        node,
        "no-deadline",
        `Gate "${id}" has onDeadline but no deadline.`,
        "Add a deadline such as 3d, or remove onDeadline.",
      ),
    );
  for (const field of duplicates(fields, ({ name }) => name))
    findings.push(
      error(
        node,
        "duplicate-field",
        `Gate "${id}" has more than one field "${field.name}".`,
        "Give each field its own name.",
      ),
    );
  for (const field of fields)
    if (field.type === "choice" && field.choices.length === 0)
      findings.push(
        error(
          node,
          "no-choices",
          `The field "${field.name}" of gate "${id}" has no choices.`,
          "List at least one, or make it a string.",
        ),
      );
  return findings;
}

function targetProblem(
  node: RetryGateNode,
  index: ValidationIndex,
  order: NodeOrder | null,
  near: Near,
): Finding[] {
  const { id, retryTarget } = node;
  const target = index.nodes.get(retryTarget);
  const problem = (code: string, message: string, hint: string) => [
    error(node, code, message, hint),
  ];
  if (!target)
    return problem(
      "unknown-node",
      `The retryTarget of retry gate "${id}" is "${retryTarget}", which does not exist.`,
      near(retryTarget, [...index.nodes.keys()], "Name a node of this file as retryTarget."),
    );
  if (target.parent !== node.parent)
    return problem(
      "retry-across-loop",
      `Retry gate "${id}" and its target "${retryTarget}" are not in the same loop.`,
      "Put both into the same loop or both outside, or use the loop itself as the target.",
    );
  const isTold = (index.outOf.get(id) ?? []).some(({ back }) => back);
  if (target.type === "loop" && !isTold)
    return [
      warning(
        node,
        "unread-feedback",
        `The target of retry gate "${id}" is the loop "${retryTarget}", so no agent gets the feedback of its checks.`,
        `Wire output:retry_feedback of "${id}" to an input of the loop, and use it there.`,
      ),
      ...upstreamProblem(node, order),
    ];
  return upstreamProblem(node, order);
}

/** Running the target again must be able to change the checks. */
function upstreamProblem(node: RetryGateNode, order: NodeOrder | null): Finding[] {
  const { id, retryTarget } = node;
  if (order === null) return [];
  const [own, wanted] = [order.rank.get(id)!, order.rank.get(retryTarget)!];
  return order.ancestors(own, wanted).has(wanted)
    ? []
    : [
        error(
          node,
          "retry-not-upstream",
          `Retry gate "${id}" does not depend on its target "${retryTarget}", so running the target again would not change its checks.`,
          "Name a node that leads to the gate's checks.",
        ),
      ];
}

function checksProblem(node: RetryGateNode, index: ValidationIndex): Finding[] {
  const { id, checks } = node;
  if (checks.length === 0)
    return [
      error(
        node,
        "no-checks",
        `Retry gate "${id}" checks nothing, so it would always pass.`,
        "Wire at least one boolean to it.",
      ),
    ];
  const ports = new Map(node.inputs.map((port) => [port.name, port]));
  const wired = wiredInputs(node, index);
  return checks.flatMap((check) => {
    const port = ports.get(check);
    if (port && port.type !== "boolean" && port.type !== "any")
      return error(
        node,
        "check-not-boolean",
        `The check "${check}" of retry gate "${id}" is a ${port.type}.`,
        "A check is true or false: declare it as boolean.",
        { port: check },
      );
    if (wired.has(check) || port?.default !== undefined) return [];
    return error(
      node,
      "unwired-check",
      `Nothing is wired to the check "${check}" of retry gate "${id}", so it could never pass.`,
      "Wire a boolean to it, or remove the check.",
      { port: check },
    );
  });
}

function joinProblem(node: JoinNode, { into, nodes }: ValidationIndex): Finding[] {
  const edges = into.get(node.id) ?? [];
  const waited = edges.find(
    ({ source, target }) => target.to === "wait" && nodes.get(source.node)?.type === "gate",
  );
  const passedBy = waited
    ? [
        warning(
          waited,
          "join-passes-gate",
          `The join "${node.id}" runs as soon as one of its inputs arrives, whatever the answer to gate "${waited.source.node}" is.`,
          `Let the nodes after the join need "${waited.source.node}", or make the gate an input of the join.`,
        ),
      ]
    : [];
  if (edges.length > 1) return passedBy;
  return [
    ...passedBy,
    warning(
      node,
      "join-of-one",
      edges.length === 0
        ? `Nothing is wired to the join "${node.id}".`
        : `Only one edge leads to the join "${node.id}", so there is nothing to join.`,
      "Wire at least two nodes to it, or remove it.",
    ),
  ];
}
