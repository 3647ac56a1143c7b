/**
 * One turn of the scripted agent, or one compaction. It passes five points in a fixed order: `session` (the id is printed),
 * `model` (the prompt is saved and sent), `answer` (tools run, the answer and the usage are printed),
 * `save` and `result`. The steps of a script happen in between, and some of them end it early.
 */

import { existsSync, writeFileSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { answer, type Deed, permissionMark } from "./answer.ts";
import { perform, type ScriptedAccess } from "./deed.ts";
import { appendItem, type Item, replaceItems } from "./files.ts";
import type { Ledger } from "./ledger.ts";
import { Output } from "./output.ts";
import { compactionUsage, totalUsage } from "./reader.ts";
import { type Manners, type Point, points, type ScriptStep } from "./script.ts";
import { summaryOf } from "./summary.ts";

export interface TurnInput {
  readonly home: string;
  /** The session that was asked for. */
  readonly id: string;
  readonly history: readonly Item[];
  /** As the model will see it. */
  readonly prompt: string;
  /** The prompt is the answer to the agent's question. */
  readonly answered: boolean;
  /** The prompt is what the summary that replaces the history should focus on. */
  readonly compacts: boolean;
  readonly manners: Manners;
  /** Printed with the id; null when the script names none. */
  readonly version: string | null;
  /** Folder that paths in the script are relative to. */
  readonly folder: string;
  readonly access: ScriptedAccess;
  readonly ledger: Ledger;
}

/** Failures that come before anything is sent to the model. */
const refusals: readonly (string | undefined)[] = ["missing", "in-use", "writer", "unsent"];

/** An agent that no test releases ends by itself. */
const patience = 10 * 60_000;

export class ScriptedTurn {
  readonly #input: TurnInput;
  readonly #manners: Manners;
  readonly #output: Output;
  /** The session that it reads and saves. */
  readonly #id: string;
  /** The id that it prints; null when it prints none. */
  readonly #printedId: string | null;
  #history: readonly Item[];
  readonly #items: Item[] = [];
  #text = "";
  #passed = 0;

  constructor(input: TurnInput) {
    const { manners } = input;
    const starts = manners["new-session"] === true;
    const credential = manners["echo-credential"];
    this.#input = input;
    this.#manners = manners;
    this.#output = new Output(manners.split === true);
    this.#id = starts ? crypto.randomUUID() : input.id;
    this.#printedId = manners["no-id"]
      ? null
      : (manners["answer-id"] ?? (credential ? (process.env[credential] ?? null) : this.#id));
    this.#history = starts ? [] : input.history;
  }

  /** @returns the exit code when the step ended the turn, else null. */
  async perform(step: ScriptStep): Promise<number | null> {
    const { ledger, id } = this.#input;
    switch (step.name) {
      case "session":
      case "model":
      case "answer":
      case "save":
      case "result":
        await this.reach(step.name);
        return null;
      case "refuse":
        writeError(missingText(id));
        return 1;
      case "in-use":
        writeError(inUseText(id));
        return 1;
      case "refuse-as-success":
        await this.reach("session");
        await this.#output.event({ type: "usage", total: true, ...totalUsage([]) });
        await this.#output.event({ type: "result", ok: true, text: missingText(id) });
        return 0;
      case "fail": {
        if (!refusals.includes(step.value.kind)) await this.reach("model");
        const message = step.value.message ?? "The model could not answer.";
        await this.#output.event({ type: "result", ok: false, error: { ...step.value, message } });
        return 1;
      }
      case "tool":
        await this.reach("model");
        await this.#runTool(step.value);
        return null;
      case "ask":
        return this.#ask({ text: step.value });
      case "ask-several": {
        const text = step.value.map(({ question }) => question).join(" ");
        return this.#ask({ text, questions: step.value });
      }
      case "ask-permission":
        return this.#ask({ text: step.value, permission: true });
      case "tool-child": {
        await this.reach("model");
        const { startToolChild } = await import("./tool-child.ts");
        const child = await startToolChild(step.value, this.#path(step.value.file));
        ledger.write("tool-child", { child });
        return null;
      }
      case "wait-for":
        await this.#until(() => existsSync(this.#path(step.value)));
        return null;
      case "touch":
        writeFileSync(this.#path(step.value), "");
        return null;
      case "hang":
        await this.#until(() => false);
        return null;
      case "crash":
        process.removeAllListeners(step.value);
        process.kill(process.pid, step.value);
        await this.#until(() => false);
        return null;
      case "exit":
        return step.value;
      case "stderr":
        writeError(step.value);
        return null;
      case "noise":
        await this.#output.bytes(Buffer.from("Loading… 42 %\n\n{ not json\n[1]\nnull\n"));
        return null;
      case "big-line":
        this.#output.bigLine(step.value);
        return null;
      case "bad-utf8":
        await this.#output.bytes(Buffer.from('{"type":"text","text":"caf\xe9"}\n', "latin1"));
        return null;
    }
  }

  /** Continues until `point` has been passed. */
  async reach(point: Point): Promise<void> {
    while (this.#passed <= points.indexOf(point)) {
      const next = points[this.#passed] as Point;
      this.#passed += 1;
      await this.#pass[next]();
    }
  }

  readonly #pass: Readonly<Record<Point, () => Promise<void>>> = {
    session: async () => {
      if (!this.#manners["late-id"]) await this.#tellId();
      if (!this.#manners.replay) return;
      for (const { role, text } of this.#history) {
        const event = role === "tool" ? { type: "tool", name: text } : { type: "text", role, text };
        await this.#output.event({ ...event, replay: true });
      }
      const total = totalUsage(this.#history);
      await this.#output.event({ type: "usage", total: true, ...total, replay: true });
    },

    model: async () => {
      const { ledger, prompt } = this.#input;
      this.#loseHistory();
      const history = this.#history.length;
      if (this.#input.compacts) {
        ledger.write("compact", { session: this.#id, history, focus: prompt });
        return;
      }
      ledger.write("model", { session: this.#id, history, prompt });
      this.#keep({ role: this.#input.answered ? "tool" : "user", text: prompt });
    },

    answer: async () => {
      const { ledger, prompt } = this.#input;
      if (this.#input.compacts) {
        const total = compactionUsage(this.#history, summaryOf(this.#history, prompt));
        await this.#output.event({ type: "usage", total: true, ...total });
        return;
      }
      const { text: said, tool, deed } = answer(this.#history, prompt);
      if (tool !== null) await this.#runTool(tool);
      const text = deed ? await this.#do(deed) : said;
      const overflow = this.#manners["overflow-as-success"] && "Prompt is too long";
      this.#text = this.#manners.say ?? (overflow || text);
      await this.#output.event({ type: "text", text: this.#text });
      const spoken: Item = { role: "assistant", text: this.#text };
      const total = totalUsage([...this.#history, ...this.#items, spoken]);
      await this.#output.event({ type: "usage", total: true, ...total });
      ledger.write("answer", { text: this.#text });
    },

    save: async () => {
      const { compacts, home, prompt, ledger } = this.#input;
      if (compacts) {
        if (this.#manners.ghost || this.#manners["overflow-as-success"]) return;
        replaceItems(home, this.#id, [summaryOf(this.#history, prompt)]);
        ledger.write("compacted", { session: this.#id });
        return;
      }
      this.#keep({ role: "assistant", text: this.#text });
      if (!this.#manners.ghost) ledger.write("saved", { session: this.#id });
    },

    result: async () => {
      if (this.#manners["late-id"]) await this.#tellId();
      const stop = this.#manners["overflow-as-success"] ? { stop: "overflow" } : {};
      await this.#output.event({ type: "result", ok: true, text: this.#text, ...stop });
    },
  };

  async #ask(asked: {
    readonly text: string;
    readonly permission?: true;
    readonly questions?: readonly object[];
  }): Promise<number> {
    await this.reach("model");
    const question = { id: crypto.randomUUID(), ...asked };
    const mark = asked.permission ? permissionMark : "ask: ";
    this.#keep({ role: "tool", text: `${mark}${asked.text}` });
    this.#input.ledger.write("asked", question);
    const total = totalUsage([...this.#history, ...this.#items]);
    await this.#output.event({ type: "usage", total: true, ...total });
    await this.#output.event({ type: "asked", ...question });
    return 0;
  }

  async #tellId(): Promise<void> {
    const { version } = this.#input;
    if (this.#printedId !== null)
      await this.#output.event({
        type: "session",
        id: this.#printedId,
        ...(version !== null && { version }),
      });
  }

  async #do(deed: Deed): Promise<string> {
    const { tool, target: detail } = deed;
    const done = perform(deed, this.#input.access);
    if (done !== null) await this.#runTool(tool);
    else {
      this.#input.ledger.write("denied", { tool, detail });
      await this.#output.event({ type: "denied", tool, detail });
    }
    return done ?? `I was not allowed to ${tool} ${detail}`;
  }

  async #runTool(name: string): Promise<void> {
    this.#input.ledger.write("tool", { name });
    await this.#output.event({ type: "tool", name });
    this.#keep({ role: "tool", text: name });
  }

  #keep(item: Item): void {
    this.#items.push(item);
    if (!this.#manners.ghost) appendItem(this.#input.home, this.#id, item);
  }

  #loseHistory(): void {
    const { forget, compact } = this.#manners;
    if (forget === undefined && !compact) return;
    const kept = this.#history.slice(0, Math.max(0, this.#history.length - (forget ?? 0)));
    const text = kept.map((item) => item.text).join("\n");
    this.#history = compact ? [{ role: "summary", text }] : kept;
    replaceItems(this.#input.home, this.#id, this.#history);
  }

  #path(path: string): string {
    return resolve(this.#input.folder, path);
  }

  async #until(reached: () => boolean): Promise<void> {
    const end = Date.now() + patience;
    while (!reached()) {
      if (Date.now() > end) throw new Error("no process released this agent within ten minutes");
      await pause(5);
    }
  }
}

export function missingText(id: string): string {
  return `No session found with id ${id}`;
}

export function inUseText(id: string): string {
  return `Session id ${id} is already in use`;
}

export function writeError(text: string): void {
  writeSync(2, `${text}\n`);
}
