/** An agent that speaks the Agent Client Protocol under test: the agent for tests, which misbehaves on command. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TestAgentOptions } from "@reprise/providers/acp/test-agent";
import type { ModelRequest } from "@reprise/providers/models/model";
import { startChatServer } from "@reprise/providers/models/openai-chat";
import type { ModelServer } from "@reprise/providers/models/server";
import { ModelSubject } from "./model-subject.ts";
import { type Launch, type SubjectOptions, started } from "./subject.ts";

const program = fileURLToPath(import.meta.resolve("@reprise/providers/acp/test-agent"));

export class AcpSubject extends ModelSubject {
  readonly agentHome = join(this.root, "agent");
  flags: readonly string[] = [fullAccess];

  constructor(server: ModelServer) {
    super("acp", server);
    // The settings give the agents under test full access, in nodes too.
    this.env.REPRISE_MAX_ACCESS = "full";
    this.env.TEST_AGENT_HOME = this.agentHome;
    this.env.OPENAI_BASE_URL = `${server.url}/v1`;
    mkdirSync(this.agentHome);
  }

  static async start(): Promise<AcpSubject> {
    return new AcpSubject(await startChatServer());
  }

  agentSettings(): Record<string, string> {
    return { command: commandWith(...this.flags) };
  }

  sessionFile(id: string): string {
    return join(this.agentHome, "sessions", `${id}.jsonl`);
  }

  /** The agent is and can do this from the next launch on; what it was asked before is cached. */
  agentIs(options: TestAgentOptions): void {
    this.trick("agent.json", JSON.stringify(options));
  }

  /** The next launch prints other lines among its messages. */
  junk(): void {
    this.trick("junk");
  }

  /** The next launch reports the value of this variable as the id of its session. */
  sayCredential(variable: string): void {
    this.trick("new-session", this.env[variable]);
  }

  /** Which account an agent uses is not part of the protocol (see `lacks`). */
  changeAccount(): never {
    throw new Error("The account of an ACP agent is unknown.");
  }

  async changeRuntime(): Promise<void> {
    this.agentIs({ name: "another-agent" });
    const command = commandWith(...this.flags, "another");
    await this.reprise.agents.set({ name: "coder", settings: { command } });
  }

  removeResume(): void {
    this.agentIs({ loads: false });
  }

  protected launches(): Launch[] {
    const path = join(this.agentHome, "launches");
    const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : [];
    return lines.map((line) => {
      const { argv, resumed } = JSON.parse(line) as Launch;
      return { argv, resumed };
    });
  }

  protected sessionOf({ headers }: ModelRequest): string {
    return String(headers["x-session-id"]);
  }

  protected loseSession(): void {
    this.trick("refuse");
  }

  protected trick(name: string, content = ""): void {
    writeFileSync(join(this.agentHome, name), content);
  }
}

export async function startAcp(options?: SubjectOptions): Promise<AcpSubject> {
  return started(await AcpSubject.start(), options);
}

/** Without the flag that gives it full access. */
export async function startAskingAcp(options?: SubjectOptions): Promise<AcpSubject> {
  const subject = await AcpSubject.start();
  subject.flags = [];
  return started(subject, options);
}

function commandWith(...words: readonly string[]): string {
  return JSON.stringify([process.execPath, program, ...words]);
}

/** The flag says that the agent does not ask, so it has full access; it asks all the same, and the bridge allows it. */
const fullAccess = "--allow-all";

/** Settings that give the agent full access. */
export const actsByItself = { command: commandWith(fullAccess) };
