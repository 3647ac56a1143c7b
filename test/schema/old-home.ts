/** A home as an earlier schema left it, put together from its committed parts. */

import {
  closeSync,
  cpSync,
  globSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { machine } from "@reprise/providers/launch/process";
import { ledgerPath, readLedger } from "@reprise/providers/scripted/ledger";
import { temporaryFolder } from "../temporary-folder.ts";

const fixtures = fileURLToPath(new URL("../../packages/store/fixtures", import.meta.url));

/** The schema versions of which there is a home, oldest first. */
export const oldSchemas = globSync("schema-*", { cwd: fixtures })
  .map((name) => Number(name.slice("schema-".length)))
  .toSorted((left, right) => left - right);

export class OldHome implements Disposable {
  readonly root = temporaryFolder("old");
  readonly home = join(this.root, "home");
  readonly folder = join(this.root, "work");
  readonly database = join(this.home, "reprise.db");

  constructor(schema: number) {
    const fixture = join(fixtures, `schema-${schema}`);
    cpSync(join(fixture, "home"), this.home, { recursive: true });
    mkdirSync(this.folder);
    // The script of the agents: they behave.
    writeFileSync(join(this.folder, "script.json"), "{}");
    closeSync(openSync(this.database, "wx", 0o600));
    using database = new DatabaseSync(this.database);
    database.exec(this.#here(readFileSync(join(fixture, "database.sql"), "utf8")));
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }

  /** What the agent's model was sent. */
  prompts(agent: string): string[] {
    const ledger = readLedger(ledgerPath(join(this.home, "agents", agent, "scripted")));
    return ledger.filter(({ event }) => event === "model").map(({ prompt }) => String(prompt));
  }

  /** The agent's own files of all its sessions are gone. */
  loseSessions(agent: string): void {
    rmSync(join(this.home, "agents", agent, "scripted", "sessions"), { recursive: true });
  }

  /** On this machine, but in an earlier boot, so the processes of that home are gone. */
  #here(sql: string): string {
    return sql
      .replaceAll("{home}", this.home)
      .replaceAll("{folder}", this.folder)
      .replaceAll("{host}", machine().host)
      .replaceAll("{boot}", "an earlier one");
  }
}
