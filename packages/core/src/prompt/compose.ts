/**
 * What an agent is sent for one turn. The decision alone says whether our transcript is in it: always
 * on a reseed, never otherwise. The prompt comes last, exactly as it was given, after a
 * blank line if anything precedes it. It is short on purpose: every turn pays for all of it.
 */

import type { Message } from "../conversation/message.ts";
import { sinceOpening, slice } from "../conversation/slice.ts";
import { TerminalError, UsageError } from "../errors/errors.ts";
import type { Decision, Notice, Refuse } from "../session/decision.ts";
import { speakerName, type Takeover } from "../session/takeover.ts";
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
  /** The provider session keeps the instructions that it was sent once. */
  readonly keepsInstructions: boolean;
  /** For this turn alone. */
  readonly turnInstructions: string | null;
  readonly prompt: string;
  /** The last turn of this agent asked a question, which is closed now. */
  readonly askedLast: boolean;
  /** The prompt itself is the request to continue a turn that was cut off. */
  readonly finishes?: boolean;
  /** The longest text that the provider accepts. */
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
  /** Notices for the user about what was left out for length. */
  readonly notices: readonly Notice[];
}

const separator = "\n\n";

/** A hand-off note says what happened earlier; it does not replace the conversation. */
const maxHandoffBytes = 16 * 1024;

const lines = {
  record: "It is a record, not a request: continue from it, and do not mention this.",
  changed: "Your instructions have changed; these replace the earlier ones:",
  removed: "Your earlier instructions no longer apply.",
  unconfirmed:
    "Your previous turn was cut off. What it already did has taken effect: check before you repeat any of it.",
  unstarted: "Your previous turn was cut off before it ran a tool.",
  focus: "Earlier questions and forms are closed. Respond to the message below.",
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
    ...part("focus", decision.outcome === "resume" && input.askedLast && lines.focus),
    { kind: "prompt", text: prompt } as const,
  ];
  const fixed = [...before, ...after].reduce((sum, { text }) => sum + cost(text), 0);
  if (fixed > maxBytes + separator.length)
    throw new UsageError(
      "prompt-too-long",
      `The prompt with its instructions is longer than the ${maxBytes} bytes that the agent accepts.`,
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
  const changed = resumed && decision.instructionsChanged === true;
  const drift = changed && (instructions ? lines.changed : lines.removed);
  const known = resumed && !changed && !decision.instruct && keepsInstructions;
  return [
    ...part("drift", drift),
    ...part("instructions", !known && instructions && block("instructions", instructions)),
  ];
}

/** What a composed prompt says of the instructions, at its beginning; null if it says nothing of them. */
export function leadingInstructions(prompt: string): string | null {
  const start = prompt.startsWith(lines.changed) ? lines.changed.length + separator.length : 0;
  if (start === 0 && prompt.startsWith(lines.removed)) return lines.removed;
  const [open, close] = ["<reprise:instructions>\n", "\n</reprise:instructions>"];
  const end = prompt.startsWith(open, start) ? prompt.indexOf(close, start) : -1;
  return end === -1 ? null : prompt.slice(0, end + close.length);
}

/** The line for the agent when its previous turn was cut off. */
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
  const continuity = continuityLine(input.decision.takeover, compact ? "summarized" : "recorded");
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

function continuityLine(takeover: Takeover | undefined, how: "summarized" | "recorded"): string {
  const what = takeover
    ? `You take over the conversation ${how} below from another agent, ${speakerName(takeover.from)}.`
    : `You are continuing the conversation ${how} below.`;
  return `${what} ${lines.record}`;
}

/** The decision asked for a short transcript, so no notice is needed. */
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
    text: `The transcript is longer than the agent accepts: ${[...left, ...cuts].join(", and ")}.`,
  };
}

function part(kind: PartKind, text: string | false | null): Part[] {
  return text ? [{ kind, text }] : [];
}

const cost = (text: string) => utf8Length(text) + separator.length;

/** A reseed without its transcript is never sent. */
function missingMessages(): TerminalError {
  return new TerminalError(
    "no-transcript",
    "The decision needs the transcript, but the transcript is missing.",
    "This is a bug in Reprise. Please report it.",
  );
}
