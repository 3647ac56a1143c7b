/** The real pi under test. */

import { globSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ModelRequest } from "@reprise/providers/models/model";
import { startChatServer } from "@reprise/providers/models/openai-chat";
import type { ModelServer } from "@reprise/providers/models/server";
import { makePiHome, noteHeader, piEnvironment, piKey, piNote } from "../agents/pi-home.ts";
import { sharedFolder } from "../temporary-folder.ts";
import { type Around, RealSubject } from "./real-subject.ts";
import { type Launch, type SubjectOptions, started } from "./subject.ts";

/** Runs `step` for each word of the arguments; `$previous` is the one before it. */
const eachWord = (step: string) => `previous=
  for word do
    shift
    ${step}
    previous=$word
    set -- "$@" "$word"
  done`;

const parts: Around = {
  asksHelp: '[ "$*" = "--no-extensions --help" ]',
  answers: sharedFolder("pi-answers"),
  sessions: "$PI_CODING_AGENT_DIR/sessions",
  // The session that asks: pi's requests do not name it.
  note: `${eachWord("case $previous in --session | --session-id) id=$word ;; esac")}
export ${piNote}=$id`,
  before: {
    // Another program has deleted the session.
    refuse: 'rm "$PI_CODING_AGENT_DIR"/sessions/*/*_"$id".jsonl',
    "new-session": `${eachWord(`[ "$word" = --session ] && word=--session-id
    [ "$previous" = --session-id ] && word=$asked`)}
  export ${piNote}=$asked`,
  },
};

export class PiSubject extends RealSubject {
  readonly agentHome = join(this.root, "pi");

  constructor(server: ModelServer) {
    super("pi", server, parts);
    Object.assign(this.env, piEnvironment(), {
      [piKey]: "key-of-the-first-account",
      TMPDIR: this.newFolder("tmp"),
    });
  }

  static async start(): Promise<PiSubject> {
    const subject = new PiSubject(await startChatServer());
    await makePiHome(subject.agentHome, subject.server);
    mkdirSync(join(subject.agentHome, "sessions"));
    return subject;
  }

  agentSettings(): Record<string, string> {
    return { home: this.agentHome, binary: this.program, tools: "read,bash,edit,write" };
  }

  sessionFile(id: string): string {
    const [name] = globSync(`sessions/*/*_${id}.jsonl`, { cwd: this.agentHome });
    return join(this.agentHome, name ?? `no-session-${id}`);
  }

  changeAccount(): void {
    this.env[piKey] = "key-of-another-account";
  }

  async changeRuntime(): Promise<void> {
    const home = this.newFolder("another-pi");
    await makePiHome(home, this.server);
    await this.reprise.agents.set({ name: "coder", settings: { home } });
  }

  protected loseSession(): void {
    this.trick("refuse");
  }

  protected launchOf(argv: readonly string[]): Launch {
    const flag = argv.indexOf("--session");
    return { argv, resumed: flag === -1 ? null : (argv[flag + 1] ?? null) };
  }

  protected sessionOf({ headers }: ModelRequest): string {
    return String(headers[noteHeader]);
  }
}

export async function startPi(options?: SubjectOptions): Promise<PiSubject> {
  return started(await PiSubject.start(), options);
}
