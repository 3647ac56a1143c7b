import { RetryableError, UsageError } from "@reprise/core/errors/errors";
import { expect, test } from "vitest";
import { Connection } from "./connection.ts";

/** Answers one request after the other; an error is a connection that broke. */
function answering(answers: (Response | Error)[], more: { patience?: number } = {}) {
  const asked: Request[] = [];
  const connection = new Connection("http://127.0.0.1:1/", {
    token: "secret",
    ...more,
    fetch: async (input, init) => {
      asked.push(new Request(input, init));
      const answer = answers.shift() ?? new Error("nothing more");
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  return { connection, asked };
}

const look = { method: "GET", path: "/v1/agents", query: { limit: "2" } };
const problem = (status: number, fields: object) =>
  Response.json(
    { code: "a-code", detail: "It happened.", hint: "Do this.", ...fields },
    { status },
  );

test("what broke is asked again, with the token", async () => {
  const { connection, asked } = answering([new TypeError("fetch failed"), Response.json([1])]);
  expect((await connection.ask(look)).json()).toEqual([1]);
  expect(asked.map(({ url }) => url)).toEqual(
    Array(2).fill("http://127.0.0.1:1/v1/agents?limit=2"),
  );
  expect(asked[1]?.headers.get("authorization")).toBe("Bearer secret");
});

test("so is a body that broke off, and a server that is about to stop", async () => {
  const cut = new ReadableStream({ start: (controller) => controller.error(new Error("cut")) });
  const stopping = problem(503, { code: "stopping" });
  const { connection, asked } = answering([new Response(cut), stopping, Response.json("there")]);
  expect((await connection.ask(look)).json()).toBe("there");
  expect(asked).toHaveLength(3);
});

test.each(["localhost:7777", "127.0.0.1:7777", "ftp://localhost", "http://[", "nonsense"])(
  "%j is not the address of a server",
  (url) => {
    expect(() => new Connection(url, {})).toThrow(expect.objectContaining({ code: "bad-url" }));
  },
);

test("patience ends", async () => {
  const { connection, asked } = answering([new TypeError("no")], { patience: 0 });
  await expect(connection.ask(look)).rejects.toMatchObject({ code: "unreachable" });
  expect(asked).toHaveLength(1);
});

test.each([
  [400, {}, UsageError],
  [409, { class: "UsageError" }, UsageError],
  [422, {}, UsageError],
  [503, {}, RetryableError],
])("%i %j is an error of its class, and not asked again", async (status, fields, Class) => {
  const { connection, asked } = answering([problem(status, fields)]);
  const error = await connection.ask(look).catch((thrown) => thrown);
  expect(error).toBeInstanceOf(Class);
  expect(error.view()).toEqual({ code: "a-code", message: "It happened.", hint: "Do this." });
  expect(asked).toHaveLength(1);
});

test("a limit says when it ends, a defect under which name it is found", async () => {
  const limit = problem(503, { class: "QuotaError", resetAt: 42 });
  const defect = problem(500, { code: "internal", incident: "abc" });
  const { connection } = answering([limit, defect, new Response("<html>", { status: 502 })]);
  await expect(connection.ask(look)).rejects.toMatchObject({ name: "QuotaError", resetAt: 42 });
  await expect(connection.ask(look)).rejects.toMatchObject({
    message: "It happened. (incident abc)",
  });
  await expect(connection.ask(look)).rejects.toMatchObject({ code: "not-reprise" });
});

test("a closed connection does not wait for its caller", async () => {
  const { connection } = answering([]);
  connection.close();
  await expect(connection.ask(look)).rejects.toMatchObject({ code: "closed" });
});
