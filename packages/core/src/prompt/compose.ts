/**
 * What an agent is sent for one turn. The decision alone says whether our transcript is in it: always
 * on a reseed, never otherwise. The prompt stands last, exactly as it was given, after a blank line
 * when anything stands before it. Short on purpose: all of it is paid for on every turn.
 */

import type { Message } from "../conversation/message.ts";
import { sinceOpening, slice } from "../conversation/slice.ts";
import { TerminalError, UsageError } from "../errors/errors.ts";
import type { Decision, Notice, Refuse } from "../session/decision.ts";
import { block } from "./inert.ts";
import { renderSummary } from "./summary.ts";
import { type Quoted, renderTranscript } from "./transcript.ts";
import { utf8Length } from "./utf8.ts";

export interface ComposeInput {
  readonly decision: Exclude<Decision, Refuse>;
  readonly agent: string;
  /** The messages before this turn: all of them for a reseed, at least the last `catchUp` for a resume. */
  readonly conversation: readonly (Quoted & Pick<Message, "opening" | "takenBack">)[];
  /** The agent's own. */
  readonly instructions: string | null;
  /** The provider session keeps instructions it was once told. */
  readonly keepsInstructions: boolean;
  /** For this turn alone. */
  readonly turnInstructions: string | null;
  readonly prompt: string;
  /** The prompt itself is the request to continue a turn that was cut off. */
  readonly finishes?: boolean;
  /** What the provider takes at most. */
  readonly maxBytes: number;
}

export type PartKind =
  | "instructions"
  | "drift"
  | "continuity"
  | "handoff"
  | "transcript"
  | "catch-up"
  | "compact-focus"
  | "unconfirmed"
  | "turn-instructions"
  | "focus"
  | "prompt";

export interface Part {
  readonly kind: PartKind;
  readonly text: string;
}

export interface Composition {
  readonly text: string;
  /** The same in order, for people and tests; `text` is them with a blank line between. */
  readonly parts: readonly Part[];
  /** What a person must be told: what was left out for length. */
  readonly notices: readonly Notice[];
}

const separator = "\n\n";

/** A hand-off note tells what went on before; it does not replace the conversation. */
const maxHandoffBytes = 16 * 1024;

const lines = {
  continuity:
    "You are continuing the conversation recorded below. It is a record, not a request: carry on from it, and do not announce this.",
  summary:
    "You are continuing the conversation summed up below. It is a record, not a request: carry on from it, and do not announce this.",
  changed: "Your instructions have changed; these replace the earlier ones:",
  removed: "Your earlier instructions no longer apply.",
  unconfirmed:
    "Your previous turn was cut off. What it did is done: check before you repeat any of it.",
  unstarted: "Your previous turn was cut off before it ran a tool.",
  focus: "Earlier questions and forms here are settled; respond to the message below.",
};

/**
 * @throws UsageError when prompt and instructions alone are more than the provider takes.
 * @throws TerminalError when the decision needs messages that were not given.
 */
export function compose(input: ComposeInput): Composition {
  const { decision, prompt, maxBytes } = input;
  const before = instructionParts(input);
  const after = [
    ...part("unconfirmed", !input.finishes && cutOff(input)),
    ...part(
      "turn-instructions",
      input.turnInstructions && block("turn-instructions", input.turnInstructions),
    ),
    ...part("focus", decision.outcome === "resume" && lines.focus),
    { kind: "prompt", text: prompt } as const,
  ];
  const fixed = [...before, ...after].reduce((sum, { text }) => sum + cost(text), 0);
  if (fixed > maxBytes + separator.length)
    throw new UsageError(
      "prompt-too-long",
      `The prompt with its instructions has more than the ${maxBytes} bytes that the agent takes.`,
      "Shorten it, or put the long part into a file in the work folder and name the file.",
    );

  const record = recordParts(input, maxBytes - fixed);
  const parts = [...before, ...record.parts, ...after];
  return {
    text: parts.map(({ text }) => text).join(separator),
    parts,
    notices: record.notices,
  };
}

function instructionParts({ decision, instructions, keepsInstructions }: ComposeInput): Part[] {
  const resumed = decision.outcome === "resume";
  const changed = resumed && decision.notices.some(({ code }) => code === "instructions");
  const drift = changed && (instructions ? lines.changed : lines.removed);
  const told = resumed && !changed && !decision.instruct && keepsInstructions;
  return [
    ...part("drift", drift),
    ...part("instructions", !told && instructions && block("instructions", instructions)),
  ];
}

/** What the agent is told when the turn before was cut off. */
function cutOff({ decision, conversation, agent }: ComposeInput): string | null {
  if (decision.outcome === "blank") return null;
  const resumed = decision.outcome === "resume";
  if (resumed && decision.cutOff) return lines.unconfirmed;
  const quoted = resumed
    ? conversation.slice(conversation.length - decision.catchUp)
    : slice(conversation, agent);
  const last = quoted.at(-1);
  if (last?.origin !== "unconfirmed") return null;
  return last.tools?.length === 0 ? lines.unstarted : lines.unconfirmed;
}

interface RecordParts {
  readonly parts: readonly Part[];
  readonly notices: readonly Notice[];
}

function recordParts(input: ComposeInput, room: number): RecordParts {
  const { decision, agent } = input;
  const conversation = sinceOpening(input.conversation);
  if (decision.outcome === "blank") return { parts: [], notices: [] };
  if (decision.outcome === "resume") {
    if (decision.catchUp > conversation.length) throw missingMessages();
    const missed = conversation.slice(conversation.length - decision.catchUp);
    return quoted("catch-up", missed, agent, room);
  }

  if (conversation.length === 0) throw missingMessages();
  const own = slice(conversation, agent);
  const earlier = conversation.slice(0, conversation.length - own.length);
  const { compact } = decision;
  const continuity = compact ? lines.summary : lines.continuity;
  const focus = part("compact-focus", compact?.focus ? block("focus", compact.focus) : null);
  const left = focus.reduce((sum, { text }) => sum - cost(text), room - cost(continuity));
  const transcript = compact ? summary(own, agent, left) : quoted("transcript", own, agent, left);
  const rest = transcript.parts.reduce((sum, { text }) => sum - cost(text), left);
  const handoff = quoted("handoff", earlier, agent, Math.min(rest, maxHandoffBytes));
  return {
    parts: [...part("continuity", continuity), ...handoff.parts, ...transcript.parts, ...focus],
    notices: transcript.notices,
  };
}

/** That the transcript is short is what was decided, so it needs no notice of its own. */
function summary(messages: readonly Quoted[], agent: string, room: number): RecordParts {
  if (messages.length === 0) return { parts: [], notices: [] };
  const text = renderSummary(messages, agent, room - separator.length);
  return { parts: [{ kind: "transcript", text }], notices: [] };
}

function quoted(
  kind: "handoff" | "transcript" | "catch-up",
  messages: readonly Quoted[],
  agent: string,
  room: number,
): RecordParts {
  if (messages.length === 0) return { parts: [], notices: [] };
  const { text, omitted, cut } = renderTranscript(kind, messages, agent, room - separator.length);
  const short = omitted > 0 || cut;
  return {
    parts: [{ kind, text }],
    notices: short ? [shortened(messages.length, omitted, cut)] : [],
  };
}

function shortened(total: number, omitted: number, cut: boolean): Notice {
  const left = omitted > 0 ? [`the oldest ${omitted} of ${total} messages were left out`] : [];
  const cuts = cut ? ["the newest message was cut"] : [];
  return {
    code: "transcript-shortened",
    text: `The transcript is longer than the agent takes: ${[...left, ...cuts].join(", and ")}.`,
  };
}

function part(kind: PartKind, text: string | false | null): Part[] {
  return text ? [{ kind, text }] : [];
}

const cost = (text: string) => utf8Length(text) + separator.length;

/** A new provider session without the transcript that its decision promised is never composed. */
function missingMessages(): TerminalError {
  return new TerminalError(
    "no-transcript",
    "The decision needs the transcript, and it was not there.",
    "This is a defect of Reprise; please report it.",
  );
}
