/** An app on its own home, with a real engine and the scripted agent; routes can be called by their names. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reprise } from "@reprise/core/api/reprise";
import { type Route, routes } from "@reprise/core/api/routes";
import type { Engine } from "@reprise/engine/engine";
import { openEngine } from "@reprise/engine/open-reprise";
import { createToken } from "@reprise/engine/tokens";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { createApp } from "./app.ts";
import { ownHosts } from "./hosts.ts";
import { InFlight } from "./in-flight.ts";
import { homeToken } from "./tokens.ts";

export interface Asking {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Another token than the home's own; null sends none. */
  readonly token?: string | null;
}

export interface AppResponse {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came.
  readonly body: any;
}

type Clock = () => number;

export class TestApp {
  readonly folder = temporaryFolder("server");
  /** Unexpected errors. */
  readonly incidents: unknown[] = [];
  /** The folder that relative paths start from. */
  cwd = this.folder;
  engine!: Engine;
  reprise!: Reprise;
  work!: InFlight;
  app!: ReturnType<typeof createApp>;
  token!: string;
  now: Clock = Date.now;
  publicUrl: string | null = null;
  rateLimit: number | null = null;
  home = "test";

  /** `wrap` wraps the library for the app; `below` is the folder that relative paths start from. */
  static async open(
    wrap: (reprise: Reprise) => Reprise = (reprise) => reprise,
    below = ".",
  ): Promise<TestApp> {
    const test = new TestApp();
    test.cwd = join(test.folder, below);
    mkdirSync(test.cwd, { recursive: true });
    await test.start(wrap);
    return test;
  }

  async start(wrap: (reprise: Reprise) => Reprise = (reprise) => reprise): Promise<void> {
    const home = join(this.folder, "home");
    Object.assign(this, await openEngine({ home, cwd: this.cwd, now: () => this.now() }));
    this.token = await homeToken(home);
    this.work = new InFlight();
    this.app = this.build(wrap(this.reprise), this.work);
  }

  build(reprise: Reprise, work: InFlight): ReturnType<typeof createApp> {
    return createApp({
      reprise,
      work,
      store: this.engine.store,
      token: this.token,
      owner: "owner",
      hosts: ownHosts("127.0.0.1"),
      about: { version: "0.0.0", home: this.home, startedAt: 0 },
      publicUrl: this.publicUrl,
      rateLimit: this.rateLimit,
      page: join(this.folder, "page"),
      log: (level, message, fields) => {
        if (level === "error") this.incidents.push({ message, ...fields });
      },
      now: () => this.now(),
      heartbeat: 200,
    });
  }

  async stop(): Promise<void> {
    await this.work.stop();
    await this.reprise.close();
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** An agent that behaves as the rules say. */
  async createCoder(rules: readonly object[] = []): Promise<void> {
    writeFileSync(join(this.folder, "script.json"), JSON.stringify({ rules }));
    const settings = { script: join(this.folder, "script.json"), home: join(this.folder, "agent") };
    await this.reprise.agents.create({ name: "coder", provider: "scripted", settings });
  }

  async tokenFor(name: string, role: string): Promise<string> {
    return (await createToken(this.engine.store, { name, role, at: this.now() })).token;
  }

  /** Calls a method of the table with its own arguments. */
  async call(name: string, args: readonly unknown[], asking: Asking = {}): Promise<AppResponse> {
    const { method, path, body } = this.addressOf(testedRoute(name), args);
    return this.ask(method, path, body, asking);
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    asking: Asking = {},
  ): Promise<AppResponse> {
    return tell(await this.request(method, path, body, asking));
  }

  async request(
    method: string,
    path: string,
    body?: unknown,
    { query = {}, headers = {}, token = this.token }: Asking = {},
  ): Promise<Response> {
    const search = new URLSearchParams(query).toString();
    const url = search === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${search}`;
    return this.app.request(url, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  addressOf(route: Route, args: readonly unknown[]) {
    const input: Record<string, unknown> = { ...route.ask(...(args as never[])) };
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const value = String(input[name]);
      delete input[name];
      return encodeURIComponent(value);
    });
    if (route.method === "POST") return { method: route.method, path, body: input };
    const query = new URLSearchParams(input as Record<string, string>).toString();
    return {
      method: route.method,
      path: query === "" ? path : `${path}?${query}`,
      body: undefined,
    };
  }
}

export function testedRoute(name: string): Route {
  const route = routes.find((each) => each.name === name);
  if (route) return route;
  throw new Error(`There is no route ${name}.`);
}

export async function tell(response: Response): Promise<AppResponse> {
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== "" ? JSON.parse(text) : text,
  };
}
