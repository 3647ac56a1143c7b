/** A user at a shell whose home has a server: a real process, to be called, stopped, killed and started again. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect } from "@reprise/client/connect";
import type { Reprise } from "@reprise/core/api/reprise";
import { isAlive } from "@reprise/engine/hosts";
import { onTestFinished } from "vitest";
import { type Running, TestShell } from "../cli/shell.ts";
import { until } from "../until.ts";

interface Record {
  readonly process: Parameters<typeof isAlive>[0];
  readonly url: string;
}

export class ServedShell extends TestShell {
  readonly #clients: Reprise[] = [];

  /** Ends with the test. */
  static open(): ServedShell {
    const shell = new ServedShell();
    onTestFinished(() => shell[Symbol.asyncDispose]());
    return shell;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    for (const client of this.#clients) await client.close();
    const record = this.record();
    // A server in the background is not a child of this process.
    if (record && isAlive(record.process)) process.kill(record.process.pid, "SIGKILL");
    await super[Symbol.asyncDispose]();
  }

  /** Resolves when it serves. */
  async up(...options: string[]): Promise<Running & { readonly url: string }> {
    const running = this.start(["up", "--port", "0", ...options]);
    const isUp = () => this.record()?.process.pid === running.child.pid;
    const over = running.ended.then(({ stderr }) => {
      if (!isUp()) throw new Error(`The server did not start: ${stderr}`);
    });
    await Promise.race([until(isUp), over]);
    return { ...running, url: this.record()!.url };
  }

  record(): Record | null {
    const file = join(this.home, "server.json");
    return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : null;
  }

  token(): string {
    return readFileSync(join(this.home, "token"), "utf8").trim();
  }

  async client(): Promise<Reprise> {
    const client = await connect(this.record()!.url, {
      token: this.token(),
      // A server that is started again is waited for as long as the test lasts.
      patience: 600_000,
    });
    this.#clients.push(client);
    return client;
  }

  /** Every prompt is held by the agent until it is released. */
  hold(): void {
    const names = Array.from({ length: 30 }, (_, index) => `job ${index + 1}`);
    this.rules(
      ...names.map((name) => ({
        when: { prompt: `${name}.` },
        do: ["model", { touch: `${name}.reached` }, { "wait-for": `${name}.go` }],
      })),
    );
  }

  async isAtWork(name: string): Promise<void> {
    await until(() => existsSync(join(this.root, `${name}.reached`)));
  }

  release(name: string): void {
    writeFileSync(join(this.root, `${name}.go`), "");
  }
}
