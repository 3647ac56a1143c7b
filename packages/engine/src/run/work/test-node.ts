/** An agent node on a real home with the scripted agent, for the tests of its parts. */

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { localLauncher } from "@reprise/providers/launch/local-launcher";
import { self } from "@reprise/providers/launch/process";
import { ProviderRegistry } from "@reprise/providers/registry";
import { type LedgerLine, ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import type { AgentNode } from "@reprise/workflow/graph";
import type { AgentWork, SessionUse } from "@reprise/workflow/run/command";
import type { RunEvent } from "@reprise/workflow/run/event";
import { agent } from "@reprise/workflow/run/test-graph";
import { openStoreOf } from "../../../../../test/store-of.ts";
import { temporaryFolder } from "../../../../../test/temporary-folder.ts";
import { readSettings } from "../../config.ts";
import { Accounts, type Engine, newId } from "../../engine.ts";
import { openHome } from "../../home.ts";
import { Hosts } from "../../hosts.ts";
import { openTurns } from "../../turn/acquire.ts";
import { FunctionSandbox } from "./function-sandbox.ts";
import type { WorkContext } from "./work.ts";

export const key = "wf:r1:agent:coder";

export class TestNode implements AsyncDisposable {
  readonly root: string;
  readonly agentHome: string;
  readonly script: string;
  readonly cancel = new AbortController();
  readonly notes: RunEvent[] = [];
  leave = new AbortController();
  readonly engine: Engine;

  private constructor(engine: Engine) {
    this.engine = engine;
    this.root = engine.cwd;
    this.agentHome = join(this.root, "agent");
    this.script = join(this.root, "script.json");
    this.rules();
  }

  static async open(more: Readonly<Record<string, string>> = {}): Promise<TestNode> {
    const cwd = temporaryFolder("node");
    const home = await openHome(join(cwd, "home"));
    const env = { PATH: process.env.PATH, HOME: cwd, ...more };
    const settings = await readSettings({ flags: { endGrace: "200ms" }, env, cwd });
    const store = await openStoreOf(home.path);
    const providers = new ProviderRegistry();
    const functions = new FunctionSandbox();
    return new TestNode({
      home,
      store,
      accounts: new Accounts(store, home),
      hosts: new Hosts({ store, owner: self(), now: Date.now }),
      launcher: localLauncher(home.path),
      settings: settings.values,
      ignoredSettings: [],
      brokenSettings: [],
      cwd,
      env,
      secrets: [],
      owner: self(),
      within: null,
      functions: async () => functions,
      report: () => {},
      providers,
      provider: (name) => providers.find(name),
      now: Date.now,
      runLater: () => {},
    });
  }

  /** A test that failed leaves no process behind. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { store, launcher } = this.engine;
    for await (const { id } of openTurns(store)) await launcher.end(id, 0);
    await store.close();
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** What the scripted agent does otherwise. */
  rules(...rules: object[]): void {
    writeFileSync(this.script, JSON.stringify({ rules }));
  }

  touch(name: string): void {
    writeFileSync(join(this.root, name), "");
  }

  ledger(event: string): LedgerLine[] {
    const path = ledgerPath(this.agentHome);
    return existsSync(path) ? readLedger(path).filter((line) => line.event === event) : [];
  }

  prompts(): string[] {
    return this.ledger("model").map(({ prompt }) => String(prompt));
  }

  context(more: Partial<WorkContext> = {}): WorkContext {
    return {
      engine: this.engine,
      run: "r1",
      execution: "coder",
      attempt: 1,
      manual: true,
      continuity: null,
      folder: this.root,
      access: null,
      within: null,
      signal: this.cancel.signal,
      leave: this.leave.signal,
      recovered: false,
      rebooted: false,
      session: key,
      turns: [newId()],
      note: async (event) => {
        this.notes.push(event);
      },
      ...more,
    };
  }

  node(more: Partial<AgentNode> = {}): AgentNode {
    return agent("coder", {
      position: { line: 7, column: 3 },
      prompt: null,
      settings: { home: this.agentHome, script: this.script },
      ...more,
    });
  }

  work(
    prompt: string,
    node: Partial<AgentNode> = {},
    session: Partial<SessionUse> = {},
    more: Partial<AgentWork> = {},
  ): AgentWork {
    return {
      type: "agent",
      node: this.node(node),
      inputs: {},
      prompt,
      folder: null,
      instructions: null,
      session: { key, how: "begin", fork: null, adopt: null, messages: null, ...session },
      reads: [],
      ...more,
    };
  }
}

/** A process that was here once. */
export const dead = { ...self(), pid: 1, start: "long ago" };
