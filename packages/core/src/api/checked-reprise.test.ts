import { expect, test } from "vitest";
import { checkedReprise } from "./checked-reprise.ts";
import type { Reprise } from "./reprise.ts";

const calls: string[] = [];
function reprise(): Reprise {
  calls.length = 0;
  return checkedReprise({
    sessions: { send: async () => calls.push("send"), list: async () => calls.push("list") },
    runs: { start: async () => calls.push("start") },
    ready: async () => calls.push("ready"),
    async *events() {
      yield calls.push("events");
    },
    close: async () => calls.push("close"),
  } as unknown as Reprise);
}

test("X1: an unknown option is an error that names it and the nearest one", async () => {
  const call = reprise().sessions.send({ key: "k", prompt: "x" }, { singal: 1 } as never);
  await expect(call).rejects.toMatchObject({
    name: "UsageError",
    code: "bad-option",
    message: '"singal" is not an option of sessions.send().',
    hint: 'Did you mean "signal"?',
  });
  expect(calls).toEqual([]);
});

test.each([
  [{ limit: "3" }, 'The option "limit" of sessions.list() is not a number.'],
  ["coder", "The options of sessions.list() are not an object."],
  [{ agnet: "coder" }, '"agnet" is not an option of sessions.list().'],
])("X1: the query %j is refused", async (query, message) => {
  await expect(reprise().sessions.list(query as never)).rejects.toMatchObject({ message });
});

test("an option that is undefined or null is not given", async () => {
  await reprise().sessions.list({ agent: undefined, limit: null } as never);
  expect(calls).toEqual(["list"]);
});

test("X1: after close() every call says so, and close() can be repeated", async () => {
  const closed = reprise();
  await closed.close();
  await closed.close();
  const error = (name: string) => ({
    code: "closed",
    message: `${name}() was called after close().`,
  });
  await expect(closed.ready()).rejects.toMatchObject(error("ready"));
  await expect(closed.runs.start({ source: "x" })).rejects.toMatchObject(error("runs.start"));
  await expect(closed.session("k").send("x")).rejects.toMatchObject(error("sessions.send"));
  await expect(closed.events()[Symbol.asyncIterator]().next()).rejects.toMatchObject(
    error("events"),
  );
  expect(calls).toEqual(["close"]);
});
