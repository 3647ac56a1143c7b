/** Checks that each value has a type that the target port accepts, as far as the file declares types. */

import { error, type Finding, warning } from "../finding.ts";
import type { Edge, EdgeSource, EdgeTarget, Graph, GraphNode, Port, PortType } from "../graph.ts";
import type { ValidationIndex } from "./graph-index.ts";

export function checkEdges({ edges }: Graph, { nodes }: ValidationIndex): Finding[] {
  const ports = portsOf();
  return edges.flatMap((edge) => {
    const [source, target] = [nodes.get(edge.source.node)!, nodes.get(edge.target.node)!];
    if (target.type === "trigger")
      return error(
        edge,
        "edge-into-trigger",
        `An edge leads into the trigger "${target.id}".`,
        "A trigger has no inputs. Pass the value to the node that needs it.",
      );
    return typeProblem(edge, source, target, ports);
  });
}

/** The types of a node's ports by name. */
type Ports = (ports: readonly Port[]) => ReadonlyMap<string, PortType>;

/** Built once per node, because a join may have as many inputs as the file has nodes. */
function portsOf(): Ports {
  const made = new Map<readonly Port[], ReadonlyMap<string, PortType>>();
  return (ports) => {
    const known = made.get(ports) ?? new Map(ports.map(({ name, type }) => [name, type]));
    made.set(ports, known);
    return known;
  };
}

function typeProblem(edge: Edge, source: GraphNode, target: GraphNode, ports: Ports): Finding[] {
  const given = givenType(edge, source, ports);
  const wanted = wantedType(edge.target, target, ports);
  if (given === wanted || isOpen(given) || isOpen(wanted)) return [];
  const message = `${place(edge.source)} is a ${given}, but ${place(edge.target)} needs a ${wanted}.`;
  if (given === "string" && wanted === "boolean")
    return [
      warning(
        edge,
        "text-as-boolean",
        message,
        'Only the texts "true" and "false" can be read as one; give a boolean.',
      ),
    ];
  return [
    error(edge, "wrong-type", message, "Wire a value of that type, or declare the port as any."),
  ];
}

function givenType({ source, select }: Edge, node: GraphNode, ports: Ports): PortType {
  if (select !== null) return "any";
  switch (source.from) {
    case "output":
      return ports(node.outputs).get(source.port) ?? "any";
    case "loop-input":
      return ports(node.inputs).get(source.port) ?? "any";
    case "iteration":
      return "number";
    case "previous":
      return "any";
  }
}

function wantedType(target: EdgeTarget, node: GraphNode, ports: Ports): PortType {
  switch (target.to) {
    case "input":
      return ports(node.inputs).get(target.port) ?? "any";
    case "loop-output":
      return ports(node.outputs).get(target.port) ?? "any";
    case "wait":
      return "any";
    case "dock": {
      const dock = node.type === "loop" && node.docks.find(({ name }) => name === target.dock);
      return dock && dock.type !== "feedback" ? "boolean" : "any";
    }
  }
}

/** The type of such a port is known only at run time. */
function isOpen(type: PortType): boolean {
  return type === "any" || type === "json";
}

/** An end of an edge, as a template would name it. */
function place(end: EdgeSource | EdgeTarget): string {
  if ("port" in end) return `${end.node}.${end.port}`;
  if ("dock" in end) return `the dock ${end.node}.${end.dock}`;
  return "from" in end ? `the iteration of ${end.node}` : end.node;
}
