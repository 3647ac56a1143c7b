/** One scenario's steps through each surface: the library, the command line, HTTP, the client and MCP. */

import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { Reprise } from "@reprise/core/api/reprise";
import { openReprise } from "@reprise/engine/open-reprise";
import { serve, token } from "./served.ts";

export interface TestedSurface {
  /** The outcome word of the turn, and the answer. */
  send(turn: SurfaceTurn): Promise<SurfaceResult>;
  explain(key: string): Promise<string>;
  fork(key: string, newKey: string): Promise<void>;
  /** The run's status; `continuity` is for every session that it would continue. */
  start(file: string, id: string, continuity?: "reseed"): Promise<string>;
  /** Answers the only item with its first choice, or its second; the status of its run afterwards. */
  answer(choice: 0 | 1): Promise<string>;
  rerun(run: string, from: string): Promise<string>;
  close(): Promise<void>;
}

export interface SurfaceTurn {
  readonly key: string;
  readonly prompt: string;
  readonly agent?: string;
  readonly continuity?: "reseed";
}

export interface SurfaceResult {
  readonly outcome: string;
  readonly output: string;
}

/** Everything lies below `folder`; the home is in `home`. */
export type OpenSurface = (folder: string) => Promise<TestedSurface>;

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));
const run = promisify(execFile);

export const surfaces: Readonly<Record<string, OpenSurface>> = {
  async library(folder) {
    return through(await openReprise({ home: join(folder, "home"), cwd: folder }), async () => {});
  },

  async client(folder) {
    const server = await serve({ home: join(folder, "home"), cwd: folder });
    return through(await server.connect(), server.close);
  },

  async "command line"(folder) {
    const reprise = async (...args: string[]) => {
      const { stdout } = await run(process.execPath, [program, ...args, "--json"], {
        cwd: folder,
        env: { ...process.env, REPRISE_HOME: join(folder, "home"), REPRISE_USER: "ann" },
      }).catch((error) => {
        // A run that waits for a person ends with 3, one that was rejected with 1.
        if (error.code === 3 || (error.code === 1 && args[0] === "reject")) return error;
        throw error;
      });
      return JSON.parse(stdout);
    };
    return {
      async send({ key, prompt, agent, continuity }) {
        const options = [...(agent ? ["--agent", agent] : []), ...(continuity ? ["--reseed"] : [])];
        const result = await reprise("sessions", "send", key, prompt, ...options);
        return { outcome: result.decision.outcome, output: result.output };
      },
      explain: async (key) => (await reprise("sessions", "explain", key)).decision.outcome,
      fork: async (key, newKey) => reprise("sessions", "fork", key, newKey),
      start: async (file, id, continuity) =>
        (await reprise("run", file, "--id", id, ...(continuity ? ["--fresh-session"] : []))).status,
      async answer(choice) {
        const [item] = await reprise("inbox");
        return (await reprise(choice === 0 ? "approve" : "reject", item.id)).status;
      },
      rerun: async (id, from) => (await reprise("rerun", id, "--from", from)).status,
      close: async () => {},
    };
  },

  async http(folder) {
    const server = await serve({ home: join(folder, "home"), cwd: folder });
    const ask = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${server.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      });
      if (!response.ok) throw new Error(await response.text());
      return JSON.parse(await response.text());
    };
    return {
      async send({ key, ...turn }) {
        const result = await ask("POST", `/v1/sessions/${key}/turns`, turn);
        return { outcome: result.decision.outcome, output: result.output };
      },
      explain: async (key) =>
        (await ask("POST", `/v1/sessions/${key}/explain`, {})).decision.outcome,
      fork: (key, newKey) => ask("POST", `/v1/sessions/${key}/fork`, { newKey }),
      async start(path, id, continuity) {
        const source = await readFile(path, "utf8");
        // The name that other programs use.
        const fresh = continuity ? { forceFreshSession: true } : {};
        return (await ask("POST", "/v1/runs", { source, path, id, folder, ...fresh })).status;
      },
      async answer(choice) {
        const [{ id, choices }] = await ask("GET", "/v1/inbox");
        const answered = await ask("POST", `/v1/inbox/${id}/answer`, { choice: choices[choice] });
        return answered.run.status;
      },
      rerun: async (id, from) => (await ask("POST", `/v1/runs/${id}/rerun`, { from })).status,
      close: server.close,
    };
  },

  async mcp(folder) {
    const connected = async (role: string) => {
      const client = new Client({ name: "test", version: "1" });
      const home = join(folder, "home");
      const args = [program, "mcp", "--home", home, "--by", "ann", "--role", role];
      const env = { ...(process.env as Record<string, string>) };
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args, env, cwd: folder }),
      );
      return client;
    };
    const operator = await connected("operator");
    // Only an approver may answer.
    const approver = await connected("approver");
    const call = async (name: string, input: object, client = operator) => {
      const result = await client.callTool({ name, arguments: { ...input } });
      if (result.isError) throw new Error(JSON.stringify(result.content));
      // biome-ignore lint/suspicious/noExplicitAny: the scenario looks at single fields of it.
      return result.structuredContent as any;
    };
    return {
      send: async (turn) => {
        const { outcome, output } = await call("continue_session", turn);
        return { outcome, output };
      },
      explain: async (key) => (await call("explain_session", { key })).outcome,
      fork: (key, newKey) => call("fork_session", { key, newKey }),
      start: async (path, id, continuity) =>
        (await call("run_workflow", { path, id, folder, ...(continuity && { continuity }) }))
          .status,
      async answer(choice) {
        const { items } = await call("list_inbox", {});
        const [{ item, choices }] = items;
        return (await call("answer_inbox", { item, choice: choices[choice] }, approver)).status;
      },
      rerun: async (id, from) => (await call("rerun_workflow", { run: id, from })).status,
      async close() {
        await operator.close();
        await approver.close();
      },
    };
  },
};

/** The library and the client are one interface. */
function through(reprise: Reprise, after: () => Promise<void>): TestedSurface {
  return {
    async send(turn) {
      const { decision, output } = await reprise.sessions.send({ ...turn, by: "ann" });
      return { outcome: decision?.outcome ?? "", output: output ?? "" };
    },
    explain: async (key) => (await reprise.sessions.explain({ key })).decision.outcome,
    fork: async (key, newKey) => void (await reprise.sessions.fork({ key, newKey })),
    async start(path, id, continuity) {
      const source = await readFile(path, "utf8");
      const start = { source, path, id, continuity: continuity ?? null, by: "ann" };
      return (await reprise.runs.start(start)).status;
    },
    async answer(at) {
      const [item] = await reprise.inbox.list();
      const choice = item?.choices[at] ?? null;
      const answered = await reprise.inbox.answer({ item: item!.id, choice, by: "ann" });
      return answered.run?.status ?? "";
    },
    rerun: async (id, from) => (await reprise.runs.rerun({ run: id, from, by: "ann" })).status,
    async close() {
      await reprise.close();
      await after();
    },
  };
}
