/** The scripted agent under test: it misbehaves by its script, and its own ledger is the witness. */

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sessionName } from "@reprise/providers/scripted/files";
import { type LedgerLine, ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { appears } from "../until.ts";
import { Database } from "./database.ts";
import {
  type HeldAnswer,
  type Launch,
  type Misbehaviour,
  type ModelCall,
  Subject,
  type SubjectOptions,
  started,
  type Witness,
} from "./subject.ts";

interface Rule {
  readonly when?: Readonly<Record<string, unknown>>;
  readonly times?: number;
  readonly do: readonly unknown[];
}

export interface Program {
  readonly product?: string;
  readonly version?: string;
  readonly account?: string;
  readonly abilities?: readonly string[];
}

/** For the next launch, and for the one after it. */
const steps: Readonly<Record<Misbehaviour, readonly (readonly unknown[])[]>> = {
  refuse: [["refuse"]],
  "refuse-and-fail": [["refuse"], [{ fail: { kind: "unknown" } }]],
  "refuse-after-tool": [[{ tool: "ls" }, "refuse"]],
  "new-session": [["new-session"]],
  "rate-limit": [[{ fail: { status: 429, message: "Too many requests" } }]],
  "server-error": [[{ fail: { status: 503, message: "Overloaded" } }]],
  "cut-off": [["model", { fail: { kind: "transient", message: "The connection was lost" } }]],
  "fail-after-tool": [[{ tool: "ls" }, { fail: { status: 503 } }]],
  "hang-in-tool": [[{ tool: "sleep" }, "hang"]],
  poisoned: [[{ fail: { kind: "poisoned", status: 400, message: "Could not process image" } }]],
  "no-login": [[{ fail: { kind: "login", message: "Not logged in" } }]],
  portal: [[{ fail: { kind: "request", message: "A page came back" } }]],
  "no-model": [[{ fail: { kind: "request", message: "No such model" } }]],
  empty: [[{ say: "" }]],
  "empty-after-tool": [[{ say: "" }, { tool: "ls" }]],
  "unknown-failure": [[{ fail: { kind: "unknown", message: "Something went wrong" } }]],
  ghost: [["ghost"]],
};

export class ScriptedSubject extends Subject {
  readonly agentHome = join(this.root, "agent");
  readonly #script = join(this.root, "script.json");
  #program: Program = { account: "me" };
  #rules: Rule[] = [];
  #holds = 0;

  constructor() {
    super("scripted");
    this.#write();
  }

  readonly witness: Witness = {
    launches: () => this.ledger("start").map(launchOf),
    calls: () => this.ledger("model").map(callOf),
    wire: () => this.ledger("model").map((line) => JSON.stringify(line)),
  };

  ledger(event?: string): LedgerLine[] {
    const path = ledgerPath(this.agentHome);
    const lines = existsSync(path) ? readLedger(path) : [];
    return event === undefined ? lines : lines.filter((line) => line.event === event);
  }

  agentSettings(): Record<string, string> {
    return { home: this.agentHome, script: this.#script };
  }

  sessionFile(id: string): string {
    return join(this.agentHome, sessionName(id));
  }

  misbehave(how: Misbehaviour): void {
    this.script(...steps[how]);
  }

  /** What the next launches do, one list of steps for each. */
  script(...launches: (readonly unknown[])[]): void {
    const begun = this.ledger("start").length;
    this.rules(
      ...launches.map((each, index) => ({ when: { launch: begun + 1 + index }, do: each })),
    );
  }

  rules(...rules: Rule[]): void {
    this.#rules = rules;
    this.#write();
  }

  /** What the program says of itself. */
  program(program: Program): void {
    this.#program = { ...this.#program, ...program };
    this.#write();
  }

  hold(): HeldAnswer {
    this.#holds += 1;
    const reached = `reached-${this.#holds}`;
    const go = `go-${this.#holds}`;
    this.script(["model", { touch: reached }, { "wait-for": go }]);
    return { reached: () => this.touched(reached), release: () => this.touch(go) };
  }

  /** Waits for a step `touch`. */
  touched(name: string): Promise<void> {
    return appears(join(this.root, name));
  }

  /** Lets a step `wait-for` continue. */
  touch(name: string): void {
    writeFileSync(join(this.root, name), "");
  }

  changeAccount(): void {
    this.program({ account: "another" });
  }

  async changeRuntime(): Promise<void> {
    this.program({ product: "fork" });
  }

  removeResume(): void {
    this.program({ abilities: [] });
  }

  loseFile(id: string): void {
    rmSync(this.sessionFile(id), { force: true });
  }

  /** The provider session that Reprise would continue. */
  pinned(): string | null {
    using database = new Database(this);
    const [pin] = database.rows<{ handle: string }>("SELECT handle FROM pin WHERE agent = 'coder'");
    return pin?.handle ?? null;
  }

  #write(): void {
    writeFileSync(this.#script, JSON.stringify({ ...this.#program, rules: this.#rules }));
  }
}

export function launchOf({ argv, session, resume }: LedgerLine): Launch {
  return { argv: argv as string[], resumed: resume === true ? String(session) : null };
}

export function callOf({ session, prompt, history }: LedgerLine): ModelCall {
  return { session: String(session), prompt: String(prompt), earlier: Number(history) };
}

export function startScripted(options?: SubjectOptions): Promise<ScriptedSubject> {
  return started(new ScriptedSubject(), options);
}
