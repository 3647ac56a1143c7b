/** The real codex on a model server of its own, for benches of many turns. */

import { startResponsesServer } from "@reprise/providers/models/openai-responses";
import type { ModelServer } from "@reprise/providers/models/server";
import { agentBinary } from "../test/agents/agents.ts";
import { codexKey, makeCodexHome } from "../test/agents/codex-home.ts";

/** The server keeps every request, and each has the whole conversation. */
const turnsOfAServer = 50;

export class CodexAgent implements AsyncDisposable {
  readonly env = { PATH: process.env.PATH ?? "", [codexKey]: "a-key" };
  readonly settings: Readonly<Record<string, string>>;
  readonly #home: string;
  #server: ModelServer | null = null;
  #turns = 0;

  constructor(home: string) {
    this.#home = home;
    this.settings = { home, binary: agentBinary("codex") };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.close();
  }

  /** Before every turn. */
  async beforeTurn(): Promise<void> {
    if (this.#turns % turnsOfAServer === 0) {
      await this.#server?.close();
      this.#server = await startResponsesServer();
      await makeCodexHome(this.#home, this.#server);
    }
    this.#turns += 1;
  }
}
