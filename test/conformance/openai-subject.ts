/**
 * An API model under test. The bridge is our own program, so what is around it is a module that Node loads before it: it
 * notes the arguments, and makes the bridge misbehave where the model cannot.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ModelRequest } from "@reprise/providers/models/model";
import { startChatServer } from "@reprise/providers/models/openai-chat";
import type { ModelServer } from "@reprise/providers/models/server";
import { openai } from "@reprise/providers/openai/provider";
import { ModelSubject } from "./model-subject.ts";
import { type Launch, type ModelCall, type SubjectOptions, started } from "./subject.ts";

/** The library runs the source of the bridge, a command line that was built runs the one of its build. */
const bridges = openai.manifest.bridges.flatMap((bridge) => [
  basename(bridge.source),
  `${bridge.name}.js`,
]);

const summary = /^A summary of the conversation so far:\n.*<\/summary>\n\n/s;

/** A trick is a file in `root`; it holds for one launch. */
function around(root: string, sessions: string): string {
  return `
const { appendFileSync, cpSync, existsSync, readFileSync, renameSync, rmSync } = require("node:fs");
const { basename } = require("node:path");
if (${JSON.stringify(bridges)}.includes(basename(process.argv[1] ?? ""))) {
  const root = ${JSON.stringify(root)} + "/";
  const sessions = ${JSON.stringify(sessions)};
  appendFileSync(root + "launches", JSON.stringify(process.argv) + "\\n");
  const asked = (name) => {
    if (!existsSync(root + name)) return null;
    const content = readFileSync(root + name, "utf8");
    rmSync(root + name);
    return content;
  };
  const resumed = process.argv.findIndex((word) => word.startsWith("--resume="));
  if (asked("lost") !== null && resumed !== -1)
    rmSync(sessions + process.argv[resumed].slice("--resume=".length) + ".jsonl");
  const other = asked("new-session");
  if (other !== null && resumed !== -1) process.argv[resumed] = "--session-id=" + other;
  const credential = asked("say-credential");
  if (credential !== null) {
    const write = process.stdout.write;
    process.stdout.write = function (line, ...rest) {
      const said = line.replace(/("type":"session","id":")[^"]*/, "$1" + process.env[credential]);
      return write.call(this, said, ...rest);
    };
  }
  if (asked("ghost") !== null) {
    const had = existsSync(sessions);
    if (had) cpSync(sessions, root + "before", { recursive: true });
    process.on("exit", () => {
      rmSync(sessions, { recursive: true, force: true });
      if (had) renameSync(root + "before", sessions);
    });
  }
}
`;
}

export class OpenaiSubject extends ModelSubject {
  readonly agentHome = join(this.root, "openai");

  constructor(server: ModelServer) {
    super("openai", server);
    const preload = join(this.root, "around.cjs");
    writeFileSync(preload, around(this.root, `${this.agentHome}/sessions/`));
    this.env.NODE_OPTIONS = `--require=${preload}`;
    this.env.OPENAI_API_KEY = "key-of-the-first-account";
    this.env.OPENAI_BASE_URL = `${server.url}/v1`;
  }

  static async start(): Promise<OpenaiSubject> {
    return new OpenaiSubject(await startChatServer());
  }

  agentSettings(): Record<string, string> {
    return { home: this.agentHome, model: "any" };
  }

  sessionFile(id: string): string {
    return join(this.agentHome, "sessions", `${id}.jsonl`);
  }

  changeAccount(): void {
    this.env.OPENAI_API_KEY = "key-of-another-account";
  }

  async changeRuntime(): Promise<void> {
    await this.reprise.agents.set({ name: "coder", settings: { home: this.newFolder("other") } });
  }

  /** The bridge comes with Reprise, so it can always continue a conversation (see `lacks`). */
  removeResume(): never {
    throw new Error("The bridge of API models can always resume.");
  }

  /** The next launch reports the value of this variable as the id of its session. */
  sayCredential(variable: string): void {
    this.trick("say-credential", variable);
  }

  protected launches(): Launch[] {
    const path = join(this.root, "launches");
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
    return lines.map((line) => {
      const argv: string[] = JSON.parse(line);
      const resume = argv.find((word) => word.startsWith("--resume="));
      return { argv, resumed: resume?.slice("--resume=".length) ?? null };
    });
  }

  protected sessionOf({ headers }: ModelRequest): string {
    return String(headers["x-session-id"]);
  }

  /** The bridge sends a summary at the beginning of the first prompt; for the witness it is a message before it. */
  protected override callOf(request: ModelRequest): ModelCall {
    const { prompt, earlier, ...call } = super.callOf(request);
    const summarized = request.messages.some(({ text }) => summary.test(text));
    return { ...call, prompt: prompt.replace(summary, ""), earlier: earlier + Number(summarized) };
  }

  protected loseSession(): void {
    this.trick("lost");
  }

  protected trick(name: string, content = ""): void {
    writeFileSync(join(this.root, name), content);
  }
}

export async function startOpenai(options?: SubjectOptions): Promise<OpenaiSubject> {
  return started(await OpenaiSubject.start(), options);
}
