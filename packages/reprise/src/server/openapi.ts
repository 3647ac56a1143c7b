/** The OpenAPI document: generated from the table of routes, and from the few routes that are not in it. */

import * as portable from "@reprise/core/api/portable-schemas";
import * as protect from "@reprise/core/api/protect-schemas";
import type { Role } from "@reprise/core/api/role";
import { type Route, routes } from "@reprise/core/api/routes";
import * as runs from "@reprise/core/api/run-schemas";
import * as schemas from "@reprise/core/api/schemas";
import * as tokens from "@reprise/core/api/token-schemas";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { runPath, toolResultPaths, toolResultSchema } from "./aliases.ts";
import { exportPath, exportQuery, importPath, importQuery } from "./bundles.ts";
import { loginSchema } from "./login.ts";
import { eventsPath, eventsQuery, followQuery, runEventsPath } from "./streams.ts";
import { hookSchema, hooksPath } from "./webhook/incoming.ts";

type Json = Record<string, unknown>;

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly id: string;
  readonly about: string;
  /** Null: no token is needed. */
  readonly role: Role | null;
  readonly input: z.ZodObject;
  /** The body is not JSON but bytes. */
  readonly bytes?: boolean;
  readonly waits?: boolean;
  readonly deprecated?: boolean;
  readonly responses: Json;
}

export function openApi(): Json {
  const paths: Record<string, Json> = {};
  for (const operation of operations()) {
    paths[operation.path] ??= {};
    Object.assign(paths[operation.path]!, {
      [operation.method.toLowerCase()]: operationObject(operation),
    });
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Reprise",
      version: manifest.version,
      description: manifest.description,
      license: { name: manifest.license, identifier: manifest.license },
    },
    servers: [{ url: "/", description: "The server that this document comes from." }],
    security: [{ token: [] }, { cookie: [] }],
    paths,
    components: {
      securitySchemes: {
        token: { type: "http", scheme: "bearer" },
        cookie: {
          type: "apiKey",
          in: "cookie",
          name: "reprise_HOME",
          description: "The login of a browser. HOME is the beginning of `home` in /v1/health.",
        },
      },
      responses: problems,
      schemas: { Problem: problemSchema, ...namedSchemas() },
    },
  };
}

function operations(): Operation[] {
  return [...routes.map(ofRoute), ...extraOperations()];
}

function ofRoute(route: Route): Operation {
  const { method, path, name: id, about, role } = route;
  const input = route.input();
  const requiresName = route.signed && !z.safeParse(input.shape.by!, undefined).success;
  return {
    ...{ method, path, id, about, role, deprecated: route.deprecated },
    // The server identifies the client by its token.
    input: requiresName ? input.partial({ by: true }) : input,
    waits: route.long !== null || route.rests !== null,
    responses: responsesOf(route),
  };
}

function responsesOf({ output, long, page }: Route): Json {
  if (output === null) return { 204: { description: "Done." } };
  const extra =
    output === schemas.turnResultSchema ? { allOf: [refTo(output()), resumedSchema] } : null;
  return {
    200: {
      description: "Done.",
      ...(page && {
        headers: { Link: text('The next page, with rel="next", if there may be one.') },
      }),
      ...content(extra ?? refTo(output())),
    },
    ...(long && {
      202: {
        description: "The work continues.",
        headers: { Location: text("Where to find its result.") },
        ...content(acceptedSchema),
      },
    }),
  };
}

/** Routes that stream, that carry bytes, or that are about the server itself. */
function extraOperations(): Operation[] {
  const events = {
    200: {
      description:
        "Server-sent events. `id` is the event's `seq`, `event` its type, and `data` the event as JSON. Send the last `id` as `Last-Event-ID` to continue after it.",
      content: { "text/event-stream": { schema: { type: "string" }, itemSchema: eventItem } },
    },
  };
  const empty = z.strictObject({});
  const done = { 204: { description: "Done." } };
  const get = (path: string, id: string, about: string, more: Partial<Operation> = {}) => ({
    ...{ method: "GET", path, id, about, role: "viewer" as Role | null, input: empty },
    responses: { 200: { description: "Done.", ...content({ type: "object" }) } },
    ...more,
  });
  const post = (path: string, id: string, about: string, more: Partial<Operation> = {}) => ({
    ...get(path, id, about, { role: "operator", ...more }),
    method: "POST",
  });
  return [
    get(eventsPath, "events", "Stream all events, from now on or after an event.", {
      input: eventsQuery,
      responses: events,
    }),
    get(runEventsPath, "runs.events", "Stream the events of a run until it ends.", {
      input: followQuery.extend({ run: z.string().min(1) }),
      responses: { ...events, 204: { description: "There are no more events." } },
    }),
    get(
      exportPath,
      "sessions.export",
      "Export a session as a bundle for another home. Sensitive.",
      {
        role: "operator",
        input: exportQuery,
        responses: {
          200: { description: "The bundle.", content: { "application/octet-stream": {} } },
        },
      },
    ),
    post(importPath, "sessions.import", "Import a bundle of another home.", {
      input: importQuery,
      bytes: true,
      responses: {
        200: { description: "Done.", ...content(refTo(portable.createdSessionSchema())) },
      },
    }),
    post(runPath, "run", "Another path for a turn, with the key as `sessionKey`.", {
      input: schemas.sendSchema().omit({ key: true }).extend({ sessionKey: schemas.keySchema() }),
      waits: true,
      responses: responsesOf(routes.find(({ name }) => name === "sessions.send")!),
    }),
    ...toolResultPaths.map((path, index) =>
      post(path, `turns.toolResult${index + 1}`, "Another path for the answer to a turn.", {
        role: "approver",
        input: toolResultSchema.extend({ turn: z.string().min(1) }),
        waits: true,
        responses: responsesOf(routes.find(({ name }) => name === "turns.answer")!),
      }),
    ),
    post(hooksPath, "hooks", "Answer an inbox item with a message signed by a webhook's secret.", {
      role: null,
      input: hookSchema.extend({ id: z.string().min(1) }),
      responses: {
        200: { description: "Answered.", ...content(refTo(runs.answeredItemSchema())) },
        202: { description: "Answered; the work that waited for it continues." },
      },
    }),
    get(
      "/v1/health",
      "health",
      "Show that the server is running, since when, and for which home.",
      {
        role: null,
      },
    ),
    get("/v1/ready", "ready", "Show whether the server can accept work now, and if not, why.", {
      role: null,
      responses: {
        200: {
          description: "The server can accept work.",
          ...content(refTo(schemas.readinessSchema())),
        },
        503: {
          description: "The server cannot accept work, or is about to stop.",
          ...content(refTo(schemas.readinessSchema())),
        },
      },
    }),
    get("/v1/caller", "caller", "Show the name and role of the token."),
    post("/v1/login", "login", "Give a browser a cookie for a token.", {
      role: null,
      input: loginSchema,
      responses: done,
    }),
    post("/v1/logout", "logout", "End the login of the browser.", {
      role: "viewer",
      responses: done,
    }),
    get("/metrics", "metrics", "Metrics of the server, for Prometheus.", {
      responses: { 200: { description: "Metrics.", content: { "text/plain": {} } } },
    }),
  ];
}

function operationObject(operation: Operation): Json {
  const { method, path, id, about, role, bytes = false } = operation;
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? "");
  const { properties = {}, required = [] } = inputSchema(operation.input) as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  const names = Object.keys(properties).filter((name) => !named.includes(name));
  const inQuery = method !== "POST" || bytes;
  return {
    operationId: id,
    summary: about,
    ...(operation.deprecated && { deprecated: true }),
    ...(role === null ? { security: [] } : { description: `Needs the role \`${role}\`.` }),
    tags: [id.includes(".") ? id.split(".")[0] : "home"],
    parameters: [
      ...named.map((name) => parameter("path", name, properties[name] ?? {}, true)),
      ...(inQuery ? names : []).map((name) =>
        parameter("query", name, properties[name] ?? {}, required.includes(name)),
      ),
      ...(operation.waits ? [parameter("query", "wait", waitSchema(method), false)] : []),
      ...(method === "POST" && role !== null ? [idempotencyKey] : []),
    ],
    ...(method === "POST" && !bytes && bodyOf(properties, names, required)),
    ...(bytes && {
      requestBody: { required: true, content: { "application/octet-stream": {} } },
    }),
    responses: { ...operation.responses, ...problemsOf(operation, named), default: problem },
  };
}

function bodyOf(properties: Record<string, Json>, names: string[], required: string[]): Json {
  const needed = names.filter((name) => required.includes(name));
  return {
    requestBody: {
      required: needed.length > 0,
      ...content({
        type: "object",
        properties: Object.fromEntries(names.map((name) => [name, properties[name]])),
        ...(needed.length > 0 && { required: needed }),
        additionalProperties: false,
      }),
    },
  };
}

function parameter(place: string, name: string, schema: Json, required: boolean): Json {
  return { name, in: place, required, schema };
}

function inputSchema(schema: z.ZodType): Json {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

/** Outputs are named after their schemas. */
const outputs = z.registry<{ id: string }>();
for (const [name, make] of Object.entries({
  ...schemas,
  ...portable,
  ...protect,
  ...runs,
  ...tokens,
})) {
  const schema = typeof make === "function" ? make() : null;
  if (schema instanceof z.ZodObject && !(schema.def.catchall instanceof z.ZodNever))
    outputs.add(schema, { id: nameOf(name) });
}

/** `turnResultSchema` is a TurnResult. */
function nameOf(schema: string): string {
  return `${schema.charAt(0).toUpperCase()}${schema.slice(1).replace(/Schema$/, "")}`;
}

function namedSchemas(): Json {
  const made = z.toJSONSchema(outputs, {
    uri: placeOf,
    unrepresentable: "any",
    // A newer server may add fields.
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    },
  });
  return Object.fromEntries(
    Object.entries(made.schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [
      name,
      schema,
    ]),
  );
}

function placeOf(name: string): string {
  return `#/components/schemas/${name}`;
}

function refTo(schema: z.ZodType): Json {
  if (schema instanceof z.ZodArray)
    return { type: "array", items: refTo(schema.element as z.ZodType) };
  if (schema instanceof z.ZodNumber) return { type: "integer" };
  const known = outputs.get(schema);
  if (known) return { $ref: placeOf(known.id) };
  throw new Error("The output of a route needs a named schema.");
}

function content(schema: Json): Json {
  return { content: { "application/json": { schema } } };
}

function text(description: string): Json {
  return { description, schema: { type: "string" } };
}

function waitSchema(method: string): Json {
  return {
    type: "number",
    minimum: 0,
    maximum: 3600,
    description:
      method === "POST"
        ? "Seconds to wait for the end of the work before the answer is 202; without it, until the work ends."
        : "Seconds to wait until it needs no more work or needs a person; 0 by default.",
  };
}

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  schema: { type: "string", minLength: 1, maxLength: 255 },
  description:
    "For 24 hours, a call that is repeated with the same key and token is done once and gets the same answer.",
};

const acceptedSchema = {
  type: "object",
  properties: {
    accepted: { type: "string" },
    at: { type: "string" },
    given: {
      type: "boolean",
      description: "For an inbox item: false if it already had this answer.",
    },
  },
  required: ["accepted", "at"],
};

const resumedSchema = {
  type: "object",
  properties: { sessionResumed: { type: ["boolean", "null"] } },
};

const problemSchema = {
  type: "object",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    code: { type: "string" },
    hint: { type: "string" },
    class: { type: "string" },
    resetAt: { type: "number" },
    incident: { type: "string" },
  },
  required: ["type", "title", "status", "detail", "code", "hint"],
};

const problem = problemFor("The call failed.");

/** The error responses of a call, by status. */
const problems = {
  BadInput: problemFor("The input is not valid; nothing was changed."),
  NoToken: problemFor("The call needs a token, or the token is not known."),
  Denied: problemFor("The token's role does not allow the call, or a policy does not."),
  NotFound: problemFor("What the path names does not exist."),
  Conflict: problemFor("The session or run is in use, was decided otherwise, or refuses the call."),
  TooLarge: problemFor("The body is too large."),
  NotJson: problemFor("The content type of the body is not supported."),
  OtherCall: problemFor("The Idempotency-Key was used for another call."),
  TooManyRequests: problemFor("The token sends more requests than the setting rateLimit allows."),
};

function problemFor(description: string): Json {
  return {
    description,
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  };
}

function problemsOf({ method, role }: Operation, named: readonly string[]): Json {
  const isPost = method === "POST";
  const ref = (name: keyof typeof problems) => ({ $ref: `#/components/responses/${name}` });
  return {
    400: ref("BadInput"),
    ...(role !== null && { 401: ref("NoToken") }),
    403: ref("Denied"),
    ...(named.length > 0 && { 404: ref("NotFound") }),
    ...(method !== "GET" && { 409: ref("Conflict") }),
    ...(isPost && { 413: ref("TooLarge"), 415: ref("NotJson") }),
    ...(isPost && role !== null && { 422: ref("OtherCall") }),
    429: ref("TooManyRequests"),
  };
}

const eventItem = {
  type: "object",
  properties: {
    id: { type: "string" },
    event: { type: "string" },
    data: { type: "string", contentMediaType: "application/json" },
  },
  required: ["data"],
};
