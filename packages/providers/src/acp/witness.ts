/**
 * What an agent's session must still contain, judged by what the agent replays when it loads the session. Only digests
 * are kept. An agent writes its history in its own way, so only what must be there is required: each prompt, in order,
 * with an answer; and of an answer that was replayed once, the same text again.
 */

import { createHash } from "node:crypto";

/** One confirmed turn, as it was sent and answered. */
export interface WitnessedTurn {
  readonly prompt: string;
  readonly answer: string;
  /** How the agent replayed it first: whether with the very prompt, and with which text of its own. */
  readonly replayed: { readonly prompt: boolean; readonly text: string } | null;
}

/** A piece of a message that was replayed. */
export interface ReplayedChunk {
  readonly role: "user" | "agent";
  readonly text: string;
}

export type ReplayVerdict =
  | {
      readonly state: "whole";
      /** How many of the first turns are not there any more: the agent has summarized them. */
      readonly shortened: number;
      /** Its last answer came exactly as it was given, so the replay has ended. */
      readonly complete: boolean;
      readonly turns: readonly WitnessedTurn[];
    }
  | { readonly state: "damaged"; readonly message: string };

export function witnessedTurn(prompt: string, answer: string): WitnessedTurn {
  return { prompt: digest(prompt), answer: digest(answer), replayed: null };
}

export function judgeReplay(
  turns: readonly WitnessedTurn[],
  chunks: readonly ReplayedChunk[],
): ReplayVerdict {
  const replayed = turnsOf(chunks);
  const judged: WitnessedTurn[] = [];
  let at = 0;
  let shortened = 0;
  let complete = false;
  for (const [index, turn] of turns.entries()) {
    const isLast = index === turns.length - 1;
    const of = `turn ${index + 1} of ${turns.length}`;
    const found = replayed.findIndex((each, place) => place >= at && isSame(each, turn));
    if (found === -1) {
      // An agent that summarizes its history leaves out its beginning, never a part after what is there.
      if (at > 0 || isLast) return damaged(of);
      judged.push(turn);
      shortened += 1;
      continue;
    }
    const { prompts, answers, text } = replayed[found]!;
    if (text === nothing && turn.answer !== nothing) return damaged(of, "without the answer of");
    if (turn.replayed && turn.replayed.text !== text) return damaged(of, "with another answer in");
    complete = isLast && answers.has(turn.answer);
    // The last answer may still be coming.
    const known = turn.replayed ?? { prompt: prompts.has(turn.prompt), text };
    judged.push(isLast && !complete ? turn : { ...turn, replayed: known });
    at = found + 1;
  }
  return { state: "whole", shortened, complete, turns: judged };
}

/** Some agents replay prompts in other words; then the answer tells which turn it is. */
function isSame({ prompts, answers }: ReplayedTurn, turn: WitnessedTurn): boolean {
  if (prompts.has(turn.prompt)) return true;
  return turn.replayed?.prompt !== true && turn.answer !== nothing && answers.has(turn.answer);
}

function damaged(turn: string, how = "without"): ReplayVerdict {
  return { state: "damaged", message: `the agent loaded the session ${how} ${turn}` };
}

interface ReplayedTurn {
  /** What the prompt may be: agents also replay messages of their own before it. */
  readonly prompts: ReadonlySet<string>;
  readonly answers: ReadonlySet<string>;
  readonly text: string;
}

function turnsOf(chunks: readonly ReplayedChunk[]): ReplayedTurn[] {
  const turns: { user: string[]; agent: string[] }[] = [];
  let before: ReplayedChunk["role"] | null = null;
  for (const { role, text } of chunks) {
    if (role === "user" && before !== "user") turns.push({ user: [], agent: [] });
    turns.at(-1)?.[role].push(text);
    before = role;
  }
  return turns.map(({ user, agent }) => ({
    // Several prompts in a row are turns without an answer.
    prompts: new Set([...endings(user), ...user.map(digest)]),
    answers: endings(agent),
    text: digest(agent.join("")),
  }));
}

/** More chunks of one message are joined without looking for a beginning among them. */
const maxBeginnings = 200;

/** The digests of what begins with one of the last chunks. */
function endings(texts: readonly string[]): ReadonlySet<string> {
  const found = new Set([digest(texts.join(""))]);
  let text = "";
  for (const part of texts.slice(-maxBeginnings).toReversed()) {
    text = part + text;
    found.add(digest(text));
  }
  return found;
}

/** Without differences in white space, which agents change. */
function digest(text: string): string {
  const plain = text.trim().replace(/\s+/g, " ");
  return createHash("sha256").update(plain).digest("base64url");
}

const nothing = digest("");
