/** The real gemini under test. */

import { globSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { normalized, parseSession } from "@reprise/providers/gemini/session-file";
import { ownName } from "@reprise/providers/gemini/session-files";
import { startGeminiServer } from "@reprise/providers/models/gemini-content";
import type { ModelRequest } from "@reprise/providers/models/model";
import type { ModelServer } from "@reprise/providers/models/server";
import { geminiEnvironment, makeGeminiHome } from "../agents/gemini-home.ts";
import { sharedFolder } from "../temporary-folder.ts";
import { type Around, RealSubject } from "./real-subject.ts";
import { type Launch, type SubjectOptions, started } from "./subject.ts";

/** Replaces the word that has the session's id; `$id` is that id. */
const session = (word: string) => `for word do
    shift
    case $word in
    --resume=* | --session-id=*)
      id=\${word#*=}
      word=${word}
      ;;
    esac
    set -- "$@" "$word"
  done`;

const tmp = '"$GEMINI_CLI_HOME"/.gemini/tmp';

const parts: Around = {
  asksHelp: '[ "$*" = --help ]',
  // Each of them takes gemini a second.
  answers: sharedFolder("gemini-answers"),
  sessions: "$GEMINI_CLI_HOME/.gemini/tmp",
  // The address has the session that asks: gemini's requests do not name it.
  note: `server=$GOOGLE_GEMINI_BASE_URL
${session("$word")}
export GOOGLE_GEMINI_BASE_URL="$server/$id"`,
  before: {
    // Another gemini has deleted the session.
    refuse: `rm ${tmp}/*/chats/session-*"$(printf %.8s "$id")"*`,
    "new-session": `${session('"--session-id=$asked"')}
  export GOOGLE_GEMINI_BASE_URL="$server/$asked"`,
    // Another program has begun a session under the id that Reprise chose.
    "in-use": `chats=${tmp}/$(basename "$PWD")/chats
  mkdir -p "$chats"
  printf '{"sessionId":"%s","projectHash":"x"}\\n' "$id" >"$chats/session-old-$(printf %.8s "$id").jsonl"`,
  },
};

export class GeminiSubject extends RealSubject {
  readonly agentHome = join(this.root, "gemini");

  constructor(server: ModelServer) {
    super("gemini", server, parts);
    Object.assign(this.env, geminiEnvironment(server), {
      GEMINI_API_KEY: "key-of-the-first-account",
      TMPDIR: this.newFolder("tmp"),
    });
  }

  static async start(): Promise<GeminiSubject> {
    const subject = new GeminiSubject(await startGeminiServer());
    await makeGeminiHome(subject.agentHome);
    mkdirSync(join(subject.agentHome, ".gemini", "tmp"));
    return subject;
  }

  agentSettings(): Record<string, string> {
    return { home: this.agentHome, binary: this.program, approvalMode: "yolo" };
  }

  /** A resume leaves an empty file beside it. */
  sessionFile(id: string): string {
    const pattern = `.gemini/tmp/*/chats/session-*${id.slice(0, 8)}*`;
    const found = globSync(pattern, { cwd: this.agentHome }).map((name) =>
      join(this.agentHome, name),
    );
    const isEmpty = (file: string) => readFileSync(file, "utf8").split("\n").length <= 3;
    const file = found.find((name) => name.endsWith(ownName(id)) || !isEmpty(name));
    return file ?? join(this.agentHome, `no-session-${id}`);
  }

  override async kept(file: Buffer): Promise<Buffer> {
    const session = await parseSession(file);
    return session ? Buffer.from(normalized(session)) : file;
  }

  /** The next new session does not get the id that was chosen for it. */
  takeNextId(): void {
    this.trick("in-use");
  }

  changeAccount(): void {
    this.env.GEMINI_API_KEY = "key-of-another-account";
  }

  async changeRuntime(): Promise<void> {
    const home = this.newFolder("another-gemini");
    await makeGeminiHome(home);
    await this.reprise.agents.set({ name: "coder", settings: { home } });
  }

  protected loseSession(): void {
    this.trick("refuse");
  }

  protected launchOf(argv: readonly string[]): Launch {
    const flag = "--resume=";
    const resume = argv.find((word) => word.startsWith(flag));
    return { argv, resumed: resume?.slice(flag.length) ?? null };
  }

  protected sessionOf({ path }: ModelRequest): string {
    return path.split("/")[1] ?? "";
  }
}

export async function startGemini(options?: SubjectOptions): Promise<GeminiSubject> {
  return started(await GeminiSubject.start(), options);
}
