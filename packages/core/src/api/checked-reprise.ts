/** Checks the options of every call, and makes calls after `close()` fail clearly. */

import { UsageError } from "../errors/errors.ts";
import { callOptions } from "./call-options.ts";
import { checkOptions } from "./options.ts";
import type { Reprise } from "./reprise.ts";
import { runSession } from "./run-session.ts";
import { sessionHandle } from "./session-handle.ts";

type Method = (...args: unknown[]) => unknown;
/** Called with the name and the arguments of every call. */
type Check = (name: string, args: readonly unknown[]) => void;

/** `reprise` with checked options, and a `close()` that can be repeated and after which every call fails. */
export function checkedReprise(reprise: Reprise): Reprise {
  let closing: Promise<void> | null = null;
  const check: Check = (name, args) => {
    if (closing !== null)
      throw new UsageError(
        "closed",
        `${name}() was called after close().`,
        "Open the home, or connect to its server, again.",
      );
    const options = callOptions[name];
    if (options) checkOptions(name, args[options.at], options.known);
  };
  const checked: Reprise = Object.assign(checkedMethods({ ...reprise }, "", check) as never, {
    // Its turns are sent through the checked methods, so that they fail after close() as well.
    session: (key, defaults) => sessionHandle(checked, key, defaults),
    run: (session, options) => runSession(checked, session, options),
    close() {
      closing ??= reprise.close();
      return closing;
    },
  } satisfies Partial<Reprise>);
  return checked;
}

function checkedMethods(
  methods: Readonly<Record<string, unknown>>,
  group: string,
  check: Check,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(methods).map(([key, value]) => {
      const name = `${group}${key}`;
      if (typeof value !== "function")
        return [key, checkedMethods(value as Record<string, unknown>, `${name}.`, check)];
      const method = value as Method;
      return [key, key === "events" ? iterated(method, name, check) : called(method, name, check)];
    }),
  );
}

function called(method: Method, name: string, check: Check): Method {
  return async (...args) => {
    check(name, args);
    return method(...args);
  };
}

function iterated(method: Method, name: string, check: Check): Method {
  return async function* (...args) {
    check(name, args);
    yield* method(...args) as AsyncIterable<unknown>;
  };
}
