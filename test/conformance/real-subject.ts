/**
 * A real agent under test, on a loopback model server. The witness of what the model was sent is the
 * server's log; that of launches is a program around the agent, which notes its arguments and makes it
 * misbehave where the model cannot.
 */

import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer, ModelRequest } from "@reprise/providers/models/model";
import { remembering } from "@reprise/providers/models/remembering";
import type { ModelServer } from "@reprise/providers/models/server";
import { test } from "vitest";
import { type AgentName, agentBinary, leftOut } from "../agents/agents.ts";
import { until } from "../until.ts";
import {
  type HeldAnswer,
  type Launch,
  type Misbehaviour,
  type ModelCall,
  Subject,
  type Witness,
} from "./subject.ts";

/** What differs from agent to agent in the program around it: lines of sh. */
export interface Around {
  /** The condition under which it is asked what it can do. */
  readonly asksHelp: string;
  /** Folder that has its sessions. */
  readonly sessions: string;
  /** Sets `$noted` to what the prompt says that the arguments do not; it becomes one more of them in the log. */
  readonly note?: string;
  /** By the name of a file that asks for it: what is done before the launch, with `$asked` its content. */
  readonly before: Readonly<Record<string, string>>;
}

/** Everything but `no-resume` holds for one launch. */
function around(agent: string, root: string, parts: Around): string {
  const { asksHelp, sessions, note = "", before } = parts;
  const steps = Object.entries(before).map(
    ([name, step]) => `if [ -e "${root}/${name}" ]; then
  asked=$(cat "${root}/${name}")
  rm "${root}/${name}"
  ${step}
fi`,
  );
  return `#!/bin/sh
if ${asksHelp} && [ -e "${root}/no-resume" ]; then exit 2; fi
case $* in *--version | *--help) exec "${agent}" "$@" ;; esac
noted=
${note}
line=$(printf '%s\\t' "$@" \${noted:+"$noted"})
printf '%s\\n' "$line" >>"${root}/launches"
${steps.join("\n")}
if [ -e "${root}/filter" ]; then
  mv "${root}/filter" "${root}/filters"
  "${agent}" "$@" | sh "${root}/filters"
  exit 0
fi
if [ -e "${root}/ghost" ]; then
  rm "${root}/ghost"
  cp -R "${sessions}" "${root}/before"
  "${agent}" "$@"
  code=$?
  rm -r "${sessions}"
  mv "${root}/before" "${sessions}"
  exit $code
fi
exec "${agent}" "$@"
`;
}

const page = "<!DOCTYPE html><html><head><title>Hotel network</title></head></html>";
/** In the form of every protocol at once. */
const noModel = {
  type: "error",
  error: {
    type: "not_found_error",
    code: "model_not_found",
    message: "The model `nope` does not exist or you do not have access to it.",
  },
};

/** What a misbehaving model does, request by request. */
const answers: Readonly<Partial<Record<Misbehaviour, readonly Answer[]>>> = {
  "refuse-and-fail": [{ refuse: "bad-request" }],
  "refuse-after-tool": [{ shell: "true" }, { refuse: "invalid-history" }],
  poisoned: [{ refuse: "invalid-history" }],
  "rate-limit": [{ refuse: "rate-limit" }],
  "server-error": [{ refuse: "overloaded" }],
  "cut-off": [{ dropped: "I was about to say" }],
  "fail-after-tool": [{ shell: "true" }, { refuse: "rate-limit" }],
  "hang-in-tool": [{ shell: "sleep 300" }],
  "no-login": [{ refuse: "unauthorized" }],
  portal: [{ status: 200, body: page }],
  "no-model": [{ status: 404, body: noModel }],
  empty: [{ text: "" }],
  "empty-after-tool": [{ shell: "true" }, { text: "" }],
  "unknown-failure": [{ refuse: "bad-request" }],
};

interface Script {
  /** The one launch that it is for, counted from 1. */
  readonly launch: number;
  /** Request by request; the last one for all that follow, since agents ask again. */
  readonly answers: readonly Answer[];
  used: number;
}

export abstract class RealSubject extends Subject {
  protected readonly server: ModelServer;
  protected readonly program: string;
  readonly #launches = join(this.root, "launches");
  readonly #held = new Set<number>();
  readonly #scripts: Script[] = [];

  constructor(agent: AgentName, server: ModelServer, parts: Around) {
    super(agent);
    // The settings give the agents under test full access, in nodes too.
    this.env.REPRISE_MAX_ACCESS = "full";
    this.server = server;
    this.program = join(this.root, `around-${agent}`);
    writeFileSync(this.program, around(agentBinary(agent), this.root, parts), { mode: 0o755 });
    server.answerWith((request) => this.#answer(request));
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.server.close();
    await super[Symbol.asyncDispose]();
  }

  readonly witness: Witness = {
    launches: () => {
      const lines = existsSync(this.#launches) ? readFileSync(this.#launches, "utf8") : "";
      return lines
        .split("\n")
        .slice(0, -1)
        .map((line) => this.launchOf(line.split("\t").slice(0, -1)));
    },
    calls: () => this.server.requests.map((request) => this.#callOf(request)),
    wire: () => this.server.requests.map(({ body }) => JSON.stringify(body)),
  };

  protected abstract launchOf(argv: readonly string[]): Launch;
  protected abstract sessionOf(request: ModelRequest): string;

  /** The agent's program does not find the session any more, and refuses to continue it. */
  protected abstract loseSession(): void;

  misbehave(how: Misbehaviour): void {
    const refuses = how === "refuse" || how === "refuse-and-fail";
    if (refuses) this.loseSession();
    if (how === "new-session") this.trick(how, randomUUID());
    if (how === "ghost") this.trick(how);
    const scripted = answers[how];
    if (scripted) this.answer(scripted, refuses ? 1 : 0);
  }

  /** What the model answers in the next launch, or in a later one. */
  answer(answers: readonly Answer[], after = 0): void {
    this.#scripts.push({ launch: this.witness.launches().length + 1 + after, answers, used: 0 });
  }

  /** Sends the output of the next launch through a script of sh. */
  filter(script: string): void {
    writeFileSync(join(this.root, "filter"), script);
  }

  /** Makes the program around the agent do one of its tricks, once. */
  protected trick(name: string, content = ""): void {
    writeFileSync(join(this.root, name), content);
  }

  hold(): HeldAnswer {
    const { requests } = this.server;
    const number = requests.length + 1;
    this.#held.add(number);
    return {
      reached: async () => {
        await until(() => requests.length >= number);
      },
      release: () => requests[number - 1]?.release(),
    };
  }

  removeResume(): void {
    this.trick("no-resume");
  }

  #answer(request: ModelRequest): Answer | undefined {
    if (this.#held.has(request.number)) return { ...remembering(request), held: true };
    const launch = this.witness.launches().length;
    const script = this.#scripts.findLast((each) => each.launch === launch);
    if (script === undefined) return undefined;
    script.used += 1;
    return script.answers[Math.min(script.used, script.answers.length) - 1];
  }

  #callOf(request: ModelRequest): ModelCall {
    const { messages } = request;
    const asked = messages.findLastIndex(({ role }) => role === "user");
    return {
      session: this.sessionOf(request),
      prompt: messages[asked]?.text ?? "",
      earlier: messages.slice(0, asked).filter(({ role }) => role !== "system").length,
    };
  }
}

/** Registers cases for an agent, or one skipped test that says why they are left out. */
export function onAgent<Name extends AgentName>(
  agent: Name,
  number: string,
  cases: (agent: Name) => void,
): void {
  const reason = leftOut(agent);
  if (reason === null) cases(agent);
  else test.skip(`${number}/${agent}: every case (skipped: ${reason})`);
}
