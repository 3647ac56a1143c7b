/** A function node: calls its code with its inputs in the sandbox. */

import type { FunctionWork } from "@reprise/workflow/run/command";
import { cancelled, failed } from "./failed.ts";
import type { WorkContext, WorkEnd } from "./work.ts";

const defaultTimeout = 10_000;

export async function runFunction(
  { engine, signal }: WorkContext,
  { node, inputs }: FunctionWork,
): Promise<WorkEnd> {
  try {
    const outputs = await (await engine.functions()).call(node.code, inputs, {
      timeout: node.timeout ?? defaultTimeout,
      signal,
    });
    return { type: "done", outputs };
  } catch (error) {
    return signal.aborted ? cancelled() : failed(error);
  }
}
