/** Asks the server: a path with its names in braces filled in, the rest as query or body. */

import { problemOf, ServerProblem, unreachable } from "./problem.ts";
import { randomId } from "./random-id.ts";

type Input = Readonly<Record<string, unknown>>;

export interface AskOptions {
  /** Of long work: seconds until the server answers that it goes on. */
  readonly wait?: number;
  /** The same for every try of one decision, so that it is taken once. */
  readonly idempotencyKey?: string;
}

export const get = <Result>(path: string, input: Input = {}) => ask<Result>("GET", path, input);

/** Undefined when the work goes on longer than `wait`. */
export const post = <Result>(path: string, input: Input = {}, options: AskOptions = {}) =>
  ask<Result | undefined>("POST", path, input, options);

async function ask<Result>(
  method: "GET" | "POST",
  path: string,
  input: Input,
  { wait, idempotencyKey = randomId() }: AskOptions = {},
): Promise<Result> {
  const { filled, rest } = fill(path, input);
  const query = new URLSearchParams(method === "GET" ? texts(rest) : {});
  if (wait !== undefined) query.set("wait", String(wait));
  const response = await fetch(query.size > 0 ? `${filled}?${query}` : filled, {
    method,
    headers:
      method === "GET"
        ? { accept: "application/json" }
        : { "content-type": "application/json", "idempotency-key": idempotencyKey },
    ...(method === "GET" ? {} : { body: JSON.stringify(rest) }),
  }).catch(() => {
    throw unreachable;
  });
  if (response.status === 202 || response.status === 204) return undefined as Result;
  if (!response.ok) throw await problemOf(response);
  try {
    return await response.json();
  } catch {
    throw new ServerProblem({
      status: response.status,
      detail: "The server's answer can not be read.",
    });
  }
}

export function fill(path: string, input: Input): { filled: string; rest: Input } {
  const rest = { ...input };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name];
    delete rest[name];
    return encodeURIComponent(String(value));
  });
  return { filled, rest };
}

function texts(input: Input): Record<string, string> {
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  );
}
