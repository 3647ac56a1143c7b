/** Turns a step of the short form into a node. */

import type { StepOf } from "../document/short.ts";
import type { DataOf, WrittenPort } from "../document.ts";
import type { NodeType } from "../graph.ts";
import type { ShortStep } from "./short-steps.ts";
import type { Path } from "./source.ts";
import type { WrittenNode } from "./written.ts";

export function nodeOf(step: ShortStep): WrittenNode {
  const { id, parent, path, kind } = step;
  const { data, fields } = bodyOf(step);
  const { label, timeout, retry, onError, continueOnFailure, inputs } = step.step;
  const constants = Object.entries(inputs ?? {}).flatMap(([name, given]): WrittenPort[] =>
    typeof given === "string" ? [] : [{ name, default: given.value }],
  );
  const own = { ...data } as DataOf<NodeType>;
  return {
    type: kind,
    id,
    parent,
    data: {
      ...own,
      ...(constants.length > 0 ? { inputs: constants } : {}),
      ...{ label, timeout, retry, onError, continueOnFailure },
    },
    path,
    fields,
  } as WrittenNode;
}

interface Body {
  readonly data: object;
  readonly fields: Readonly<Record<string, Path>>;
}

function bodyOf({ kind, step, path }: ShortStep): Body {
  const at = (...names: string[]): Path => [...path, ...names];
  switch (kind) {
    case "agent": {
      const { agent, session, returns, needs: _, inputs: __, ...data } = step;
      const fields = Object.fromEntries(Object.keys(step).map((name) => [name, at(name)]));
      return {
        data: {
          ...data,
          runner: data.runner ?? agent,
          outputSchema: data.outputSchema ?? (returns && schemaOf(returns)),
          ...(session === undefined || session === false ? {} : { session }),
        },
        fields: { ...fields, ...(agent === undefined ? {} : { runner: at("agent") }) },
      };
    }
    case "shell": {
      const { shell, folder, cwd, env, onInterrupted } = step;
      const fields = { script: at("shell"), folder: at("folder"), cwd: at("cwd"), env: at("env") };
      return { data: { script: shell, folder, cwd, env, onInterrupted }, fields };
    }
    case "function":
      return {
        data: {
          code: step.function,
          onInterrupted: step.onInterrupted,
          outputs: step.returns && portsOf(step.returns),
        },
        fields: {},
      };
    case "gate":
      return typeof step.gate === "string"
        ? { data: { title: step.gate }, fields: { title: at("gate") } }
        : {
            data: step.gate,
            fields: Object.fromEntries(
              Object.keys(step.gate).map((name) => [name, at("gate", name)]),
            ),
          };
    case "loop": {
      const { max, onMaximum, outputs = {} } = step.loop;
      const ports = Object.keys(outputs).map((name) => ({ name }));
      return {
        data: { maxIterations: max, onMaximum: onMaximum ?? "fail", outputs: ports },
        fields: {},
      };
    }
    case "constant":
      return { data: { value: step.constant }, fields: {} };
    case "branch":
      return {
        data:
          typeof step.branch === "object" && "equals" in step.branch
            ? { equals: step.branch.equals }
            : {},
        fields: {},
      };
    case "join":
      return { data: Array.isArray(step.join) ? {} : { wait: step.join.wait }, fields: {} };
    case "workdir":
      return typeof step.workdir === "string"
        ? { data: { path: step.workdir }, fields: { path: at("workdir") } }
        : { data: step.workdir, fields: { path: at("workdir", "path") } };
    case "retry-gate": {
      const { target, max, onMaximum } = step["retry-gate"];
      return { data: { retryTarget: target, maxRetries: max, onMaximum }, fields: {} };
    }
  }
}

type Returns = NonNullable<StepOf<"agent">["returns"]>;

/** A JSON Schema with all properties required. */
function schemaOf(returns: Returns): Readonly<Record<string, unknown>> {
  const properties = Object.entries(returns).map(([name, type]) => [name, propertyOf(type)]);
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: Object.keys(returns),
    additionalProperties: false,
  };
}

function propertyOf(type: Returns[string]): unknown {
  if (typeof type !== "string") return type;
  return type === "json" || type === "any" ? {} : { type };
}

function portsOf(returns: Returns): WrittenPort[] {
  return Object.entries(returns).map(([name, type]) => ({
    name,
    type: typeof type === "string" ? type : "json",
  }));
}
