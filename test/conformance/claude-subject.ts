/** The real claude under test. */

import { globSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { startAnthropicServer } from "@reprise/providers/models/anthropic-messages";
import type { ModelRequest } from "@reprise/providers/models/model";
import type { ModelServer } from "@reprise/providers/models/server";
import { claudeEnvironment } from "../agents/claude-home.ts";
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

const parts: Around = {
  asksHelp: '[ "$*" = --help ]',
  sessions: "$CLAUDE_CONFIG_DIR/projects",
  // A command of claude's own is its prompt.
  note: `case " $* " in
*" --print "*)
  prompt=$(mktemp)
  cat >"$prompt"
  case $(head -c 8 "$prompt") in /compact) noted=/compact ;; esac
  exec <"$prompt"
  rm "$prompt"
  ;;
esac`,
  before: {
    // Another claude that lives long enough deletes sessions that it takes for old.
    refuse: `${session("$word")}
  rm "$CLAUDE_CONFIG_DIR"/projects/*/"$id.jsonl"`,
    "new-session": session('"--session-id=$asked"'),
    // Another program has begun a session under the id that Reprise chose.
    "in-use": `${session("$word")}
  slug=$(pwd -P | sed 's/[^A-Za-z0-9]/-/g')
  mkdir -p "$CLAUDE_CONFIG_DIR/projects/$slug"
  echo '{"type":"summary"}' >"$CLAUDE_CONFIG_DIR/projects/$slug/$id.jsonl"`,
  },
};

export class ClaudeSubject extends RealSubject {
  readonly agentHome = join(this.root, "claude");

  constructor(server: ModelServer) {
    super("claude", server, parts);
    Object.assign(this.env, claudeEnvironment(server), {
      ANTHROPIC_API_KEY: "key-of-the-first-account",
      TMPDIR: this.newFolder("tmp"),
    });
  }

  static async start(): Promise<ClaudeSubject> {
    const subject = new ClaudeSubject(await startAnthropicServer());
    mkdirSync(join(subject.agentHome, "projects"), { recursive: true });
    return subject;
  }

  agentSettings(): Record<string, string> {
    return { home: this.agentHome, binary: this.program, allowedTools: "Bash" };
  }

  sessionFile(id: string): string {
    const [name] = globSync(`projects/*/${id}.jsonl`, { cwd: this.agentHome });
    return join(this.agentHome, name ?? `no-session-${id}`);
  }

  /** The next new session does not get the id that was chosen for it. */
  takeNextId(): void {
    this.trick("in-use");
  }

  changeAccount(): void {
    this.env.ANTHROPIC_API_KEY = "key-of-another-account";
  }

  async changeRuntime(): Promise<void> {
    const home = this.newFolder("another-claude");
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

  protected sessionOf({ headers }: ModelRequest): string {
    return String(headers["x-claude-code-session-id"]);
  }
}

export async function startClaude(options?: SubjectOptions): Promise<ClaudeSubject> {
  return started(await ClaudeSubject.start(), options);
}
