/**
 * The scripted agent's ledger: an append-only record of what was executed, how often, and what was sent to the model.
 * One write per line, so lines of several processes never mix.
 */

import { mkdirSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";

export interface LedgerLine {
  readonly at: number;
  readonly pid: number;
  readonly event: string;
  readonly [detail: string]: unknown;
}

export class Ledger {
  readonly #path: string;
  readonly #file: number;

  constructor(home: string) {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    this.#path = ledgerPath(home);
    this.#file = openSync(this.#path, "a", 0o600);
  }

  write(event: string, details: Record<string, unknown> = {}): void {
    const line: LedgerLine = { at: Date.now(), pid: process.pid, event, ...details };
    writeSync(this.#file, `${JSON.stringify(line)}\n`);
  }

  read(): LedgerLine[] {
    return readLedger(this.#path);
  }
}

export function ledgerPath(home: string): string {
  return join(home, "ledger.jsonl");
}

export function readLedger(path: string): LedgerLine[] {
  const lines = readFileSync(path, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as LedgerLine);
}
