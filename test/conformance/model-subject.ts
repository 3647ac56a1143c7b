/**
 * An agent under test whose model is a server on loopback: what the model answers, launch by launch, and what it was
 * sent by the server's log, which is the witness.
 */

import { randomUUID } from "node:crypto";
import type { Answer, ModelRequest } from "@reprise/providers/models/model";
import { remembering } from "@reprise/providers/models/remembering";
import type { ModelServer } from "@reprise/providers/models/server";
import { until } from "../until.ts";
import {
  type HeldAnswer,
  type Launch,
  type Misbehaviour,
  type ModelCall,
  Subject,
  type Witness,
} from "./subject.ts";

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

/** An answer may depend on what was asked. */
type ScriptedAnswer = Answer | ((request: ModelRequest) => Answer);

interface Script {
  /** The one launch that it is for, counted from 1. */
  readonly launch: number;
  /** Request by request; the last one for all that follow, since agents ask again. */
  readonly answers: readonly ScriptedAnswer[];
  used: number;
}

export abstract class ModelSubject extends Subject {
  protected readonly server: ModelServer;
  readonly #held = new Set<number>();
  readonly #scripts: Script[] = [];

  constructor(provider: string, server: ModelServer) {
    super(provider);
    this.server = server;
    server.answerWith((request) => this.#answer(request));
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
    await this.server.close();
    await super[Symbol.asyncDispose]();
  }

  readonly witness: Witness = {
    launches: () => this.launches(),
    calls: () => this.server.requests.map((request) => this.callOf(request)),
    wire: () => this.server.requests.map(({ body }) => JSON.stringify(body)),
  };

  protected abstract launches(): Launch[];
  protected abstract sessionOf(request: ModelRequest): string;

  /** The agent's program does not find the session any more, and refuses to continue it. */
  protected abstract loseSession(): void;
  /** Makes what is around the agent do one of its tricks in the next launch. */
  protected abstract trick(name: string, content?: string): void;

  misbehave(how: Misbehaviour): void {
    const refuses = how === "refuse" || how === "refuse-and-fail";
    if (refuses) this.loseSession();
    if (how === "new-session") this.trick(how, randomUUID());
    if (how === "ghost") this.trick(how);
    const scripted = answers[how];
    if (scripted) this.answer(scripted, refuses ? 1 : 0);
  }

  /** What the model answers in the next launch, or in a later one. */
  answer(answers: readonly ScriptedAnswer[], after = 0): void {
    this.#scripts.push({ launch: this.witness.launches().length + 1 + after, answers, used: 0 });
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

  #answer(request: ModelRequest): Answer | undefined {
    if (this.#held.has(request.number)) return { ...remembering(request), held: true };
    const launch = this.witness.launches().length;
    const script = this.#scripts.findLast((each) => each.launch === launch);
    if (script === undefined) return undefined;
    script.used += 1;
    const answer = script.answers[Math.min(script.used, script.answers.length) - 1];
    return typeof answer === "function" ? answer(request) : answer;
  }

  protected callOf(request: ModelRequest): ModelCall {
    const { messages } = request;
    const asked = messages.findLastIndex(({ role }) => role === "user");
    return {
      session: this.sessionOf(request),
      prompt: messages[asked]?.text ?? "",
      earlier: messages.slice(0, asked).filter(({ role }) => role !== "system").length,
    };
  }
}
