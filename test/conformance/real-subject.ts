/**
 * A real agent under test, on a loopback model server. The witness of what the model was sent is the
 * server's log; that of launches is a program around the agent, which notes its arguments and makes it
 * misbehave where the model cannot.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelServer } from "@reprise/providers/models/server";
import { test } from "vitest";
import { type AgentName, agentBinary, leftOut } from "../agents/agents.ts";
import { ModelSubject } from "./model-subject.ts";
import type { Launch } from "./subject.ts";

/** What differs from agent to agent in the program around it: lines of sh. */
export interface Around {
  /** The condition under which it is asked what it can do. */
  readonly asksHelp: string;
  /** Folder in which its answers to `--version` and `--help` are kept. */
  readonly answers?: string;
  /** Folder that has its sessions. */
  readonly sessions: string;
  /** Sets `$noted` to what the prompt says that the arguments do not; it becomes one more of them in the log. */
  readonly note?: string;
  /** By the name of a file that asks for it: what is done before the launch, with `$asked` its content. */
  readonly before: Readonly<Record<string, string>>;
}

/** Everything but `no-resume` holds for one launch. */
function around(agent: string, root: string, parts: Around): string {
  const { asksHelp, answers, sessions, note = "", before } = parts;
  const kept = `${answers}/$(printf %s "$*" | tr -c a-z _)`;
  const remember = `mkdir -p "${answers}"
  [ -s "${kept}" ] || { "${agent}" "$@" >"${kept}.$$" 2>&1 && mv "${kept}.$$" "${kept}"; }
  exec cat "${kept}"`;
  const steps = Object.entries(before).map(
    ([name, step]) => `if [ -e "${root}/${name}" ]; then
  asked=$(cat "${root}/${name}")
  rm "${root}/${name}"
  ${step}
fi`,
  );
  return `#!/bin/sh
if ${asksHelp} && [ -e "${root}/no-resume" ]; then exit 2; fi
case $* in *--version | *--help)
  ${answers === undefined ? `exec "${agent}" "$@"` : remember}
  ;;
esac
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

export abstract class RealSubject extends ModelSubject {
  protected readonly program: string;
  readonly #launches = join(this.root, "launches");

  constructor(agent: AgentName, server: ModelServer, parts: Around) {
    super(agent, server);
    // The settings give the agents under test full access, in nodes too.
    this.env.REPRISE_MAX_ACCESS = "full";
    this.program = join(this.root, `around-${agent}`);
    writeFileSync(this.program, around(agentBinary(agent), this.root, parts), { mode: 0o755 });
  }

  protected launches(): Launch[] {
    const lines = existsSync(this.#launches) ? readFileSync(this.#launches, "utf8") : "";
    return lines
      .split("\n")
      .slice(0, -1)
      .map((line) => this.launchOf(line.split("\t").slice(0, -1)));
  }

  protected abstract launchOf(argv: readonly string[]): Launch;

  /** Sends the output of the next launch through a script of sh. */
  filter(script: string): void {
    writeFileSync(join(this.root, "filter"), script);
  }

  /** Makes the program around the agent do one of its tricks, once. */
  protected trick(name: string, content = ""): void {
    writeFileSync(join(this.root, name), content);
  }

  removeResume(): void {
    this.trick("no-resume");
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
