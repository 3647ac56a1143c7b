/** The real opencode under test. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ModelRequest } from "@reprise/providers/models/model";
import { startChatServer } from "@reprise/providers/models/openai-chat";
import type { ModelServer } from "@reprise/providers/models/server";
import { ownName } from "@reprise/providers/opencode/session-database";
import { opencodeEnvironment } from "../agents/opencode-home.ts";
import { sharedFolder } from "../temporary-folder.ts";
import { type Around, RealSubject } from "./real-subject.ts";
import { type Launch, type SubjectOptions, started } from "./subject.ts";

/** Otherwise opencode tries for more than a minute. */
const errorHeaders = { "retry-after-ms": "1" };

const data = ".local/share/opencode";
const flag = "--session=";

const parts: Around = {
  asksHelp: '[ "$*" = "run --help" ]',
  // Each of them takes opencode a second.
  answers: sharedFolder("opencode-answers"),
  sessions: `$HOME/../opencode/${data}/reprise`,
  before: {
    // The session is lost between Reprise's look and opencode's.
    refuse: 'rm "$OPENCODE_DB"*',
    // The word that continues a session is lost, as in a careless script around opencode.
    "new-session": `for word do
    shift
    case $word in
    ${flag}*) ;;
    *) set -- "$@" "$word" ;;
    esac
  done`,
  },
};

export class OpencodeSubject extends RealSubject {
  readonly agentHome = join(this.root, "opencode");

  constructor(server: ModelServer) {
    super("opencode", server, parts);
    Object.assign(this.env, opencodeEnvironment(server), {
      REPRISE_TEST_OPENCODE_KEY: "key-of-the-first-account",
      TMPDIR: this.newFolder("tmp"),
    });
  }

  static async start(): Promise<OpencodeSubject> {
    const subject = new OpencodeSubject(await startChatServer({ errorHeaders }));
    mkdirSync(join(subject.agentHome, data, "reprise"), { recursive: true });
    return subject;
  }

  agentSettings(): Record<string, string> {
    return { home: this.agentHome, binary: this.program, permissions: "auto" };
  }

  sessionFile(id: string): string {
    return join(this.agentHome, data, ownName(id));
  }

  /** What was said, in order: a database is not only appended to. */
  override async kept(file: Buffer): Promise<Buffer> {
    const path = join(this.newFolder("kept"), "session.db");
    writeFileSync(path, file);
    using database = new DatabaseSync(path);
    const parts = database.prepare("SELECT data FROM part ORDER BY id").all();
    return Buffer.from(parts.map(({ data }) => `${data}\n`).join(""));
  }

  changeAccount(): void {
    this.env.REPRISE_TEST_OPENCODE_KEY = "key-of-another-account";
  }

  async changeRuntime(): Promise<void> {
    const home = this.newFolder("another-opencode");
    await this.reprise.agents.set({ name: "coder", settings: { home } });
  }

  protected loseSession(): void {
    this.trick("refuse");
  }

  protected launchOf(argv: readonly string[]): Launch {
    const resume = argv.find((word) => word.startsWith(flag));
    return { argv, resumed: resume?.slice(flag.length) ?? null };
  }

  protected sessionOf({ headers }: ModelRequest): string {
    return String(headers["x-session-id"] ?? "");
  }
}

export async function startOpencode(options?: SubjectOptions): Promise<OpencodeSubject> {
  return started(await OpencodeSubject.start(), options);
}
