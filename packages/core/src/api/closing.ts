/** Makes every method of a Reprise fail with one clear error once it was closed. */

import { UsageError } from "../errors/errors.ts";
import type { Reprise } from "./reprise.ts";
import { sessionHandle } from "./session-handle.ts";

type Method = (...args: unknown[]) => unknown;

/** `reprise` with a `close()` that can be called again, and methods that fail after it. */
export function untilClosed(reprise: Reprise): Reprise {
  let closing: Promise<void> | null = null;
  const refuse = (name: string) => {
    if (closing !== null) throw closed(name);
  };
  const guarded: Reprise = Object.assign(guard({ ...reprise }, "", refuse) as unknown as Reprise, {
    // Its turns are sent through the guarded methods, so that they fail after close() as well.
    session: (key, defaults) => sessionHandle(guarded, key, defaults),
    close() {
      closing ??= reprise.close();
      return closing;
    },
  } satisfies Partial<Reprise>);
  return guarded;
}

function guard(
  methods: Record<string, unknown>,
  group: string,
  refuse: (name: string) => void,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(methods).map(([key, value]) => {
      const name = `${group}${key}`;
      if (typeof value !== "function")
        return [key, guard(value as Record<string, unknown>, `${name}.`, refuse)];
      const method = value as Method;
      const isIterated = key === "events";
      return [key, isIterated ? iterated(method, name, refuse) : called(method, name, refuse)];
    }),
  );
}

function called(method: Method, name: string, refuse: (name: string) => void): Method {
  return async (...args) => {
    refuse(name);
    return method(...args);
  };
}

function iterated(method: Method, name: string, refuse: (name: string) => void): Method {
  return async function* (...args) {
    refuse(name);
    yield* method(...args) as AsyncIterable<unknown>;
  };
}

function closed(name: string): UsageError {
  return new UsageError(
    "closed",
    `${name}() was called after close().`,
    "Open the home, or connect to its server, again.",
  );
}
