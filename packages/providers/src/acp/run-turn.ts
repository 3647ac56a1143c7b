/** One turn of an agent: opens the session, checks what the agent replays of it, sends the prompt, and tells what happens. */

import { setTimeout as delay } from "node:timers/promises";
import type { AgentEvent } from "../provider.ts";
import { type AgentProcess, type AgentStart, startAgent } from "./agent-process.ts";
import { chooseAskingMode, chooseModel, currentModel } from "./choices.ts";
import {
  type AgentSession,
  authenticate,
  cancelPrompt,
  continueSession,
  type Greeting,
  greet,
  newSession,
  sendPrompt,
} from "./client.ts";
import { failureOf, type Step, TurnFailure } from "./failure.ts";
import type { BridgeOrder } from "./order.ts";
import type { PromptResult } from "./protocol.ts";
import { SessionEvents } from "./session-events.ts";
import { usageIn } from "./usage.ts";
import { judgeReplay, type WitnessedTurn, witnessedTurn } from "./witness.ts";
import { readWitness, writeWitness } from "./witness-file.ts";

export class BridgedTurn {
  readonly #order: BridgeOrder;
  readonly #print: (event: AgentEvent) => void;
  readonly #events: SessionEvents;
  readonly #agent: AgentProcess;
  #step: Step = "start";
  #greeting: Greeting | null = null;
  #session: AgentSession | null = null;

  constructor(
    command: readonly string[],
    order: BridgeOrder,
    options: Omit<AgentStart, "folder">,
    print: (event: AgentEvent) => void,
  ) {
    this.#order = order;
    this.#print = print;
    this.#events = new SessionEvents(order, print);
    this.#agent = startAgent(command, { ...options, folder: order.folder }, this.#events);
  }

  /** Ends with a result or a failure, which it prints; never with the agent still running. */
  async run(prompt: string): Promise<void> {
    try {
      const result = await this.#answerTo(prompt);
      this.#print({ type: "result", text: result });
    } catch (error) {
      const logins = this.#greeting?.logins ?? [];
      this.#print({
        type: "failure",
        failure: failureOf(error, this.#step, logins, Date.now()),
      });
    } finally {
      await this.#agent.end();
    }
  }

  /** Asks the agent to stop; it answers the prompt as cancelled. */
  cancel(): void {
    if (this.#session) cancelPrompt(this.#agent, this.#session.id);
  }

  kill(): void {
    this.#agent.kill();
  }

  async #answerTo(prompt: string): Promise<string> {
    const agent = this.#agent;
    const { place, folder, resume, model, login, access } = this.#order;
    const greeting = await greet(agent);
    this.#greeting = greeting;
    if (greeting.version !== null) this.#print({ type: "version", version: greeting.version });
    if (login !== null) await authenticate(agent, login);

    this.#step = resume === null ? "new" : "continue";
    const session =
      resume === null
        ? await newSession(agent, folder)
        : await continueSession(agent, greeting, resume, folder);
    const known = await this.#check(session);
    this.#session = session;
    this.#print({ type: "session", id: session.id });

    this.#step = "choose";
    await chooseAskingMode(agent, session, access);
    if (model !== null) await chooseModel(agent, session, model);
    const current = model ?? currentModel(session);
    if (current !== null) this.#print({ type: "model", name: current });

    this.#step = "prompt";
    this.#events.begin(session.id);
    const result = await sendPrompt(agent, session.id, prompt);
    const usage = usageIn(result);
    if (usage !== null) this.#print({ type: "usage", usage });
    const answer = this.#events.answer;
    this.#judge(result);
    if (known !== null) writeWitness(place, session.id, [...known, witnessedTurn(prompt, answer)]);
    return answer;
  }

  /**
   * What the session must contain in the next turn beside this one; null if it is unknown.
   * @throws TurnFailure when the agent continues another session, or one that it has lost a part of.
   */
  async #check({ id }: AgentSession): Promise<readonly WitnessedTurn[] | null> {
    const { place, resume } = this.#order;
    if (resume === null) return [];
    // Reported as it is: Reprise refuses another session by its id.
    if (id !== resume) return null;
    const turns = readWitness(place, id);
    if (!this.#greeting?.loads) return turns;
    return this.#replayed(turns);
  }

  /** Agents may still replay after they have answered the request: gemini (0.61) does. */
  async #replayed(
    turns: readonly WitnessedTurn[] | null,
  ): Promise<readonly WitnessedTurn[] | null> {
    let verdict = judgeReplay(turns ?? [], this.#events.replayed);
    while (verdict.state === "damaged" || !verdict.complete) {
      const quiet = verdict.state === "damaged" ? untilDamaged : untilQuiet;
      if (!(await this.#events.moreReplayed(quiet))) break;
      await delay(together);
      verdict = judgeReplay(turns ?? [], this.#events.replayed);
    }
    if (verdict.state === "damaged")
      throw new TurnFailure({ kind: "missing", message: verdict.message });
    const { shortened, turns: known } = verdict;
    if (shortened > 0)
      this.#print({
        type: "note",
        text: `The agent replays this session without its first ${shortened === 1 ? "turn" : `${shortened} turns`}: it has shortened it by itself.`,
      });
    return turns === null ? null : known;
  }

  /** @throws TurnFailure when the turn has no answer. */
  #judge({ stopReason }: PromptResult): void {
    switch (stopReason) {
      case "refusal":
        throw new TurnFailure({ kind: "request", message: "the agent refused to answer" });
      case "cancelled":
        throw new TurnFailure({ kind: "transient", message: "the agent cancelled the turn" });
      case "max_tokens":
        this.#note("The answer was cut off at the limit of output tokens.");
        break;
      case "max_turn_requests":
        this.#note("The agent stopped at its limit of requests in one turn.");
        break;
    }
  }

  #note(text: string): void {
    this.#print({ type: "note", text });
  }
}

/** Milliseconds without another piece of a replay, after which it has ended. */
const untilQuiet = 300;
/** Longer, because a new session and the whole transcript are the price of a mistake. */
const untilDamaged = 3000;
/** Milliseconds in which more pieces arrive that are judged together. */
const together = 10;
