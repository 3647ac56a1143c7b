/**
 * Calls every operation of the OpenAPI document with valid and invalid input: only typed errors come back, there are no
 * unexpected errors, and the database is sound afterwards.
 */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApi } from "./openapi.ts";
import { TestApp } from "./test-app.ts";

const seed = Number(process.env.REPRISE_FUZZ_SEED ?? Date.now() % 1_000_000);
const runs = Number(process.env.REPRISE_FUZZ_RUNS ?? 25);

interface Schema {
  readonly type?: string | string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly exclusiveMinimum?: number;
}

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: Schema }>>;
  };
  readonly responses: Readonly<Record<string, unknown>>;
}

let server: TestApp;
/** Existing names, by the parameters that take them. */
let known: Record<string, readonly unknown[]>;
let bundle: Uint8Array;

const gate = "name: gate\nsteps:\n  approve: { gate: Ship it? }\n";

beforeAll(async () => {
  // Deep enough that no step upwards leaves the test's own folder.
  server = await TestApp.open(undefined, "a/b/c/d/e/f");
  await server.createCoder([{ when: { prompt: "ask" }, do: [{ ask: "Which?" }] }]);
  const { sessions, runs: workflows } = server.reprise;
  const done = await sessions.send({ key: "k1", agent: "coder", prompt: "remember PLUM" });
  bundle = await sessions.export({ key: "k1" });
  const asks = await sessions.send({ key: "k2", agent: "coder", prompt: "ask" });
  const run = await workflows.start({ source: gate, id: "r1" });
  const keys = ["k1", "k2", "k3", "new"];
  const turns = [done.turn.id, asks.turn.id, "k1"];
  known = {
    key: keys,
    newKey: ["f1", "f2", "k1"],
    agent: ["coder"],
    name: ["coder", "clerk", "other"],
    class: ["clerk"],
    provider: ["scripted"],
    turn: turns,
    run: ["r1", "r2"],
    item: [...run.waitsFor, asks.turn.id],
    id: ["r1", "r2", "r3"],
    after: ["k1", "r1", "0", run.waitsFor[0]],
    source: [gate, "name: x", "steps: [1]"],
    from: ["approve"],
    choice: ["approve", "reject"],
    prompt: ["echo hello", "ask", "run tool x"],
    home: ["there"],
    folder: ["."],
    busy: ["queue", "skip", "fail"],
    timeout: [1000, 60_000],
    settings: [{}, { onModelChange: "reseed" }, { script: "script.json" }],
    inputs: [{}],
    file: ["one", "two/three", "../four"],
  };
});

afterAll(() => server.close());

const nastyTexts = fc.oneof(
  fc.constantFrom(
    "../x",
    "..%2f..",
    "a\0b",
    "\0",
    "%00",
    "",
    " ",
    "/etc/passwd",
    "\ud800",
    "__proto__",
  ),
  fc.constantFrom(
    "null",
    "{{ x }}",
    "'; DROP TABLE turn; --",
    "$(id)",
    "-rf",
    "x".repeat(5000),
    "\u202e",
  ),
  fc.string({ unit: "binary", maxLength: 40 }),
);
const nasty: fc.Arbitrary<unknown> = fc.oneof(
  nastyTexts,
  fc.constantFrom(-1, 0, 1.5, 2 ** 53, 1e308, -0, null, true, [], {}, [[[]]], { toString: 1 }),
  fc.jsonValue(),
);

/** A value that the schema accepts; a wild one has any value anywhere. */
function valid(schema: Schema, isWild: boolean): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => valid(each, isWild)));
  const [type] = [schema.type].flat();
  switch (type) {
    case "string":
      return isWild ? nastyTexts : fc.stringMatching(/^[a-z][a-z0-9.:-]{0,12}$/);
    case "integer":
    case "number":
      return isWild
        ? fc.oneof(fc.maxSafeNat(), fc.double({ noNaN: true }))
        : fc.integer({ min: 1, max: 5 });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "object": {
      const { properties, required = [], additionalProperties: extra } = schema;
      if (properties) return fields(properties, required, isWild);
      const value = valid(typeof extra === "object" ? extra : {}, isWild);
      return fc.dictionary(fc.string({ maxLength: 8 }), value, { maxKeys: 3 });
    }
    default:
      return fc.jsonValue();
  }
}

function fields(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
  isWild: boolean,
): fc.Arbitrary<unknown> {
  const model = Object.entries(properties).map(([name, schema]) => {
    const value = field(name, schema, isWild);
    const isNeeded = required.includes(name);
    return [name, isNeeded ? value : fc.option(value, { nil: undefined, freq: 2 })];
  });
  return fc.record(Object.fromEntries(model)).map(withoutUndefined);
}

function field(name: string, schema: Schema, isWild: boolean): fc.Arbitrary<unknown> {
  const there = known[name];
  if (!isWild) return there ? fc.constantFrom(...there) : valid(schema, false);
  return fc.oneof(
    ...(there ? [{ weight: 4, arbitrary: fc.constantFrom(...there) }] : []),
    { weight: 2, arbitrary: valid(schema, true) },
    { weight: 1, arbitrary: nasty },
  );
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined));
}

interface Asked {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
  readonly key: string | undefined;
}

function asked(operation: Operation): fc.Arbitrary<Asked> {
  return fc.boolean().chain((isWild) => askedSo(operation, isWild));
}

function askedSo(operation: Operation, isWild: boolean): fc.Arbitrary<Asked> {
  const { operationId, parameters, requestBody } = operation;
  const record = (place: string) => {
    const all = parameters.filter((parameter) => parameter.in === place);
    const properties = Object.fromEntries(all.map(({ name, schema }) => [name, schema]));
    return fields(properties, place === "path" ? Object.keys(properties) : [], isWild);
  };
  const schema = requestBody?.content["application/json"]?.schema;
  const strange = { weight: isWild ? 1 : 0, arbitrary: nasty };
  const body = schema
    ? fc.oneof({ weight: 12, arbitrary: valid(schema, isWild) }, strange)
    : fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.constant(bundle), damagedBundle());
  return fc.record({
    path: record("path"),
    query: record("query"),
    body: body.map((value) => (operationId === "backup" ? withPlace(value) : value)),
    key: fc.oneof(
      { weight: 8, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constantFrom("i1", "i2") },
    ),
  }) as fc.Arbitrary<Asked>;
}

function damagedBundle(): fc.Arbitrary<Uint8Array> {
  return fc.tuple(fc.nat({ max: bundle.length - 1 }), fc.nat({ max: 255 })).map(([at, byte]) => {
    const damaged = Uint8Array.from(bundle);
    damaged[at] = byte;
    return damaged;
  });
}

/** A backup is always written below the test's folder. */
function withPlace(body: unknown): unknown {
  const { file, ...rest } = (body ?? {}) as { file?: unknown };
  if (typeof file !== "string") return { ...rest, file };
  return { ...rest, file: file.startsWith("/") ? `${server.cwd}${file}` : file };
}

async function ask(method: string, path: string, operation: Operation, input: Asked) {
  const names = operation.parameters.map(({ name }) => name);
  const query = new URLSearchParams(
    Object.entries(input.query).map(([name, value]): [string, string] => [name, textOf(value)]),
  );
  // The test does not wait for the work; it is released at the end.
  if (names.includes("wait")) query.set("wait", "0.05");
  const place = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encoded(textOf(input.path[name])),
  );
  const isBytes = input.body instanceof Uint8Array;
  return server.app.request(`${place}?${query}`, {
    method,
    headers: {
      authorization: `Bearer ${server.token}`,
      ...(input.key !== undefined && method === "POST" ? { "idempotency-key": input.key } : {}),
      ...(isBytes
        ? { "content-type": "application/octet-stream" }
        : { "content-type": "application/json" }),
    },
    ...(method === "POST"
      ? { body: isBytes ? Buffer.from(input.body as Uint8Array) : JSON.stringify(input.body) }
      : {}),
  });
}

function textOf(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** A lone surrogate cannot be encoded in a URL. */
function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

const paths = openApi().paths as Record<string, Record<string, Operation>>;
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(
    ([method, operation]) => [method.toUpperCase(), path, operation] as const,
  ),
);

describe(`with the seed ${seed}`, () => {
  test.each(operations)("%s %s", async (method, path, operation) => {
    const property = fc.asyncProperty(asked(operation), async (input) => {
      const response = await ask(method, path, operation, input);
      const stream = /event-stream/.test(response.headers.get("content-type") ?? "");
      const text = stream ? "" : await response.text();
      if (stream) await response.body?.cancel();
      expect(server.incidents.splice(0), text).toEqual([]);
      if (response.status < 400) return;
      expect(response.headers.get("content-type")).toBe("application/problem+json");
      const { status, code, detail, hint } = JSON.parse(text);
      expect(status).toBe(response.status);
      expect(status, text).toBeLessThan(500);
      expect([code, detail, hint].every((each) => typeof each === "string" && each !== "")).toBe(
        true,
      );
    });
    await fc.assert(property, { seed, numRuns: runs, endOnFailure: true });
  });

  test("leaves a sound database", async () => {
    expect(await server.engine.store.check({ full: true })).toMatchObject({
      sound: true,
      problems: [],
    });
    const log = await server.engine.store.readEvents({ after: 0, limit: 100_000 });
    expect(log.length).toBeGreaterThan(10);
    expect((await server.ask("GET", "/v1/doctor")).status).toBe(200);
  });
});
