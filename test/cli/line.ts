/**
 * Several shells on one session. Every prompt is held by the agent's script until it is released, so
 * that each moment can be reached without a guess; a turn that has its session, but no agent yet, is
 * held where its process opens the provider's history, which Reprise reads before it decides.
 */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import type { TurnResult } from "@reprise/core/api/reprise";
import { openReprise } from "@reprise/engine/open-reprise";
import { expect, onTestFinished } from "vitest";
import { until } from "../until.ts";
import { type CommandOptions, type Running, TestShell } from "./shell.ts";

const heldHistory = fileURLToPath(new URL("./held-history.ts", import.meta.url));
const key = "shared";

/** Prompts that are held: the agent has asked its model, and waits before it answers. */
export const first = "remember first";
export const second = "remember second";
export const third = "remember third";

interface TurnRow {
  readonly id: string;
  readonly status: string;
  readonly prompt: string;
  readonly output: string | null;
  readonly pid: number | null;
}

export class SessionQueue extends TestShell {
  /** Ends with the test, also when the test times out. */
  static async open(manners: readonly unknown[] = []): Promise<SessionQueue> {
    const line = new SessionQueue();
    onTestFinished(() => line[Symbol.asyncDispose]());
    line.rules(
      ...[first, second, third].map((prompt) => ({
        when: { prompt },
        do: [...manners, "model", { touch: `${prompt}.reached` }, { "wait-for": `${prompt}.go` }],
      })),
    );
    const reprise = await openReprise({ home: line.home });
    const settings = { home: line.agentHome, script: line.script };
    await reprise.agents.create({ name: "coder", provider: "scripted", settings });
    await reprise.close();
    return line;
  }

  send(prompt: string, ...flags: string[]): Running {
    return this.#send(prompt, flags);
  }

  /** Its process stops at the history of the provider session, so its agent is never started. */
  sendUpToHistory(prompt: string): Running {
    const env = {
      HELD_HISTORY: join(this.agentHome, "sessions"),
      HELD_MARK: join(this.root, `${prompt}.held`),
    };
    return this.#send(prompt, [], { node: ["--import", heldHistory], env });
  }

  /** The turn has its session, and its process is held before it starts an agent. */
  async isAtHistory(prompt: string, { child }: Running): Promise<void> {
    await until(() => existsSync(join(this.root, `${prompt}.held`)));
    expect(this.turns().find((turn) => turn.prompt === prompt)).toMatchObject({
      status: "running",
      pid: child.pid,
    });
  }

  /** The agent has the prompt, and works on it until it is released. */
  async isAtWork(prompt: string): Promise<void> {
    await until(() => existsSync(join(this.root, `${prompt}.reached`)));
  }

  release(prompt: string): void {
    writeFileSync(join(this.root, `${prompt}.go`), "");
  }

  /** Sends a held prompt and waits until the agent has it. */
  async sendAndHold(prompt: string): Promise<Running> {
    const running = this.send(prompt);
    await this.isAtWork(prompt);
    return running;
  }

  /** Sends a prompt and waits until it is queued. */
  async sendAndWait(prompt: string, running = this.send(prompt)): Promise<Running> {
    await this.hasTurn(
      prompt,
      ({ status, pid }) => status === "queued" && pid === running.child.pid,
    );
    return running;
  }

  async hasTurn(prompt: string, fits: (turn: TurnRow) => boolean): Promise<void> {
    await until(() => this.turns().some((turn) => turn.prompt === prompt && fits(turn)));
  }

  turns(): TurnRow[] {
    using database = this.#database();
    const rows = database.prepare(
      "SELECT id, status, owner, output, request FROM turn ORDER BY seq",
    );
    return rows.all().map(({ id, status, owner, output, request }) => ({
      id: String(id),
      status: String(status),
      prompt: JSON.parse(String(request)).prompt,
      output: output as string | null,
      pid: owner === null ? null : JSON.parse(String(owner)).pid,
    }));
  }

  statuses(): Record<string, string> {
    return Object.fromEntries(this.turns().map(({ prompt, status }) => [prompt, status]));
  }

  transcript(): string[] {
    using database = this.#database();
    return database
      .prepare("SELECT text FROM message ORDER BY seq")
      .all()
      .map(({ text }) => String(text));
  }

  /** Stops the process, but not while it writes, which would block the others. */
  freeze({ child }: Running): void {
    for (;;) {
      child.kill("SIGSTOP");
      using database = new DatabaseSync(join(this.home, "reprise.db"), { timeout: 500 });
      try {
        database.exec("BEGIN IMMEDIATE; ROLLBACK");
        return;
      } catch {
        child.kill("SIGCONT");
      }
    }
  }

  /** What the agents themselves wrote down: these prompts, in this order, each by an agent of its own. */
  expectSent(...prompts: string[]): void {
    expect(this.sent()).toEqual(prompts);
    expect(this.ledger("start")).toHaveLength(prompts.length);
    this.expectOneAtATime();
  }

  /** The prompts that the models of the agents were sent. */
  sent(): string[] {
    return this.ledger("model").map(({ prompt }) => String(prompt).split("\n").at(-1)!);
  }

  /** No agent was started while another one was there, and all have ended. */
  expectOneAtATime(): void {
    const present = new Set<number>();
    for (const { event, pid } of this.ledger()) {
      if (event === "start") {
        expect([...present], `agents present when ${pid} was started`).toEqual([]);
        present.add(pid);
      } else if (event === "exit") present.delete(pid);
    }
    expect([...present], "agents that never ended").toEqual([]);
  }

  #send(prompt: string, flags: readonly string[], options?: CommandOptions): Running {
    const agent = ["--agent", "coder", "--json"];
    return this.start(["sessions", "send", key, prompt, ...agent, ...flags], options);
  }

  #database(): DatabaseSync {
    return new DatabaseSync(join(this.home, "reprise.db"), { readOnly: true, timeout: 5000 });
  }
}

/** The command answered with this exit code and a turn of this status. */
export async function expectTurn(
  running: Running,
  code: number,
  status: string,
): Promise<TurnResult> {
  const ended = await running.ended;
  expect({ code: ended.code, stderr: ended.stderr }).toMatchObject({ code });
  const result = JSON.parse(ended.stdout) as TurnResult;
  expect(result.turn.status).toBe(status);
  return result;
}

/** Kills the process as a power cut would, and waits until it is gone. */
export async function kill({ child, ended }: Running): Promise<void> {
  child.kill("SIGKILL");
  expect(await ended).toMatchObject({ signal: "SIGKILL" });
}
