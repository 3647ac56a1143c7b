/**
 * The real codex under test, on a loopback model server. The witness of what the model was sent is the
 * server's log; that of launches is a program around codex, which notes its arguments and makes it
 * misbehave where the model can not.
 */

import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "vitest";
import { agentBinary, leftOut } from "../agents/agents.ts";
import { codexKey, makeCodexHome } from "../agents/codex-home.ts";
import type { Answer, ModelRequest } from "../models/model.ts";
import { startModelServer } from "../models/openai-responses.ts";
import { remembering } from "../models/remembering.ts";
import type { ModelServer } from "../models/server.ts";
import { Database } from "./database.ts";
import {
  type Hold,
  type Launch,
  type Misbehaviour,
  type ModelCall,
  type StartOptions,
  Subject,
  started,
  until,
  type Witness,
} from "./subject.ts";

/**
 * `new-session` loses the words that continue a session, as a careless script around codex would;
 * `ghost` is a disk that forgets the turn. Both hold for one launch.
 */
function around(codex: string, root: string): string {
  return `#!/bin/sh
if [ "$1 $2 $3" = "exec resume --help" ] && [ -e "${root}/no-resume" ]; then exit 2; fi
case $* in *--version | *--help) exec "${codex}" "$@" ;; esac
line=$(printf '%s\\t' "$@")
printf '%s\\n' "$line" >>"${root}/launches"
if [ -e "${root}/new-session" ]; then
  rm "${root}/new-session"
  count=$#
  while [ "$count" -gt 0 ]; do
    word=$1
    shift
    count=$((count - 1))
    if [ "$word" = resume ]; then
      shift
      count=$((count - 1))
    else
      set -- "$@" "$word"
    fi
  done
fi
if [ -e "${root}/ghost" ]; then
  rm "${root}/ghost"
  cp -R "$CODEX_HOME/sessions" "${root}/before"
  "${codex}" "$@"
  code=$?
  rm -r "$CODEX_HOME/sessions"
  mv "${root}/before" "$CODEX_HOME/sessions"
  exit $code
fi
exec "${codex}" "$@"
`;
}

/** What the model does where it is the one who misbehaves, request by request. */
const answers: Readonly<Partial<Record<Misbehaviour, readonly Answer[]>>> = {
  "refuse-and-fail": [{ refuse: "bad-request" }],
  "refuse-after-tool": [{ shell: "true" }, { refuse: "invalid-history" }],
  "rate-limit": [{ refuse: "rate-limit" }],
  "server-error": [{ refuse: "overloaded" }],
  "cut-off": [{ dropped: "I was about to say" }],
  "fail-after-tool": [{ shell: "true" }, { refuse: "rate-limit" }],
  "unknown-failure": [{ refuse: "bad-request" }],
};

export class CodexSubject extends Subject {
  readonly agentHome = join(this.root, "codex");
  readonly #server: ModelServer;
  readonly #held = new Set<number>();
  readonly #program = join(this.root, "around-codex");
  #providers = 0;

  constructor(server: ModelServer) {
    super("codex");
    this.#server = server;
    this.env[codexKey] = "key-of-the-first-account";
    server.answerWith((request) =>
      this.#held.has(request.number)
        ? { ...(remembering(request) as { text: string }), held: true }
        : undefined,
    );
  }

  static async start(): Promise<CodexSubject> {
    const subject = new CodexSubject(await startModelServer());
    await makeCodexHome(subject.agentHome, subject.#server);
    mkdirSync(join(subject.agentHome, "sessions"));
    writeFileSync(subject.#program, around(agentBinary("codex"), subject.root), { mode: 0o755 });
    return subject;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.#server.close();
    await super[Symbol.asyncDispose]();
  }

  readonly witness: Witness = {
    launches: () => {
      const path = join(this.root, "launches");
      const lines = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
      return lines.map(launchOf);
    },
    calls: () => this.#server.requests.map(callOf),
  };

  agentSettings(): Record<string, string> {
    return { home: this.agentHome, binary: this.#program, sandbox: "bypass" };
  }

  sessionFile(id: string): string {
    const [name] = globSync(`sessions/**/rollout-*-${id}.jsonl`, { cwd: this.agentHome });
    return join(this.agentHome, name ?? `no-rollout-of-${id}`);
  }

  misbehave(how: Misbehaviour): void {
    if (how === "refuse" || how === "refuse-and-fail") this.#renameProvider();
    if (how === "new-session" || how === "ghost") writeFileSync(join(this.root, how), "");
    this.#server.answerWith(...(answers[how] ?? []));
  }

  hold(): Hold {
    const number = this.#server.requests.length + 1;
    this.#held.add(number);
    return {
      reached: () => until(() => this.#server.requests.length >= number),
      release: () => this.#server.requests[number - 1]?.release(),
    };
  }

  changeAccount(): void {
    this.env[codexKey] = "key-of-another-account";
  }

  async changeRuntime(): Promise<void> {
    const home = join(this.root, "another-codex");
    await makeCodexHome(home, this.#server);
    using database = new Database(this);
    database.setAgent("coder", { home });
  }

  removeResume(): void {
    writeFileSync(join(this.root, "no-resume"), "");
  }

  /** Codex refuses a thread whose model provider is not configured any more. */
  #renameProvider(): void {
    const file = join(this.agentHome, "config.toml");
    const config = readFileSync(file, "utf8");
    this.#providers += 1;
    const name = `loopback${this.#providers}`;
    writeFileSync(
      file,
      config
        .replace(/^model_provider = .*$/m, `model_provider = "${name}"`)
        .replace(/^\[model_providers\..*\]$/m, `[model_providers.${name}]`),
    );
  }
}

function launchOf(line: string): Launch {
  const argv = line.split("\t").slice(0, -1);
  const resume = argv.indexOf("resume");
  return { argv, resumed: resume === -1 ? null : (argv[resume + 1] ?? null) };
}

function callOf({ body, messages }: ModelRequest): ModelCall {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  return {
    session: body.prompt_cache_key,
    prompt: messages[asked]?.text ?? "",
    earlier: messages.slice(0, asked).filter(({ role }) => role !== "system").length,
  };
}

export async function startCodex(options?: StartOptions): Promise<CodexSubject> {
  return started(await CodexSubject.start(), options);
}

/** Registers cases for codex, or one skipped test that says why they are left out. */
export function onCodex(number: string, cases: (provider: "codex") => void): void {
  const reason = leftOut("codex");
  if (reason === null) cases("codex");
  else test.skip(`${number}/codex: every case (skipped: ${reason})`);
}
