/** The real codex under test. */

import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelRequest } from "@reprise/providers/models/model";
import { startResponsesServer } from "@reprise/providers/models/openai-responses";
import type { ModelServer } from "@reprise/providers/models/server";
import { codexKey, makeCodexHome } from "../agents/codex-home.ts";
import { type Around, RealSubject } from "./real-subject.ts";
import { type Launch, type SubjectOptions, started } from "./subject.ts";

const parts: Around = {
  asksHelp: '[ "$1 $2 $3" = "exec resume --help" ]',
  sessions: "$CODEX_HOME/sessions",
  before: {
    // The words that continue a session are lost, as in a careless script around codex.
    "new-session": `skipped=
  for word do
    shift
    case $skipped$word in
    resume) skipped=yes ;;
    yes*) skipped= ;;
    *) set -- "$@" "$word" ;;
    esac
  done`,
  },
};

export class CodexSubject extends RealSubject {
  readonly agentHome = join(this.root, "codex");
  #providers = 0;

  constructor(server: ModelServer) {
    super("codex", server, parts);
    this.env[codexKey] = "key-of-the-first-account";
  }

  static async start(): Promise<CodexSubject> {
    const server = await startResponsesServer();
    const subject = new CodexSubject(server);
    await makeCodexHome(subject.agentHome, server);
    mkdirSync(join(subject.agentHome, "sessions"));
    return subject;
  }

  /** What the agent's model is asked at. */
  get model(): Pick<ModelServer, "url"> {
    return this.server;
  }

  agentSettings(): Record<string, string> {
    return { home: this.agentHome, binary: this.program, sandbox: "bypass" };
  }

  sessionFile(id: string): string {
    const [name] = globSync(`sessions/**/rollout-*-${id}.jsonl`, { cwd: this.agentHome });
    return join(this.agentHome, name ?? `no-rollout-of-${id}`);
  }

  changeAccount(): void {
    this.env[codexKey] = "key-of-another-account";
  }

  async changeRuntime(): Promise<void> {
    const home = join(this.root, "another-codex");
    await makeCodexHome(home, this.server);
    await this.reprise.agents.set({ name: "coder", settings: { home } });
  }

  protected launchOf(argv: readonly string[]): Launch {
    const resume = argv.indexOf("resume");
    return { argv, resumed: resume === -1 ? null : (argv[resume + 1] ?? null) };
  }

  protected sessionOf({ body }: ModelRequest): string {
    return body.prompt_cache_key;
  }

  /** Codex refuses a thread whose model provider is not configured any more. */
  protected loseSession(): void {
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

export async function startCodex(options?: SubjectOptions): Promise<CodexSubject> {
  return started(await CodexSubject.start(), options);
}
