/** What a verification found, in sentences. */

import type { CheckpointState } from "@reprise/core/session/history";
import type { Pin } from "@reprise/core/session/pin";
import type { CheckpointHead, CheckpointPart } from "@reprise/store/store";
import type { Examination } from "../turn/examination.ts";

interface Verified {
  readonly pin: Pin;
  readonly retired: string | null;
  readonly examined: Examination;
  /** Of the newest; null where the provider has nothing to keep. */
  readonly checkpoint: CheckpointState | null;
  readonly newest: CheckpointHead | null;
  readonly newestWhole: CheckpointHead | null;
  readonly parts: number;
  readonly damaged: readonly CheckpointPart[];
  /** Messages whose text is not the one that was recorded. */
  readonly altered: number;
  /** Messages that the provider session was not given. */
  readonly missing: number;
  /** The conversation still begins with what the provider session was given. */
  readonly continues: boolean;
}

export function findingsOf(verified: Verified): string[] {
  const { retired, altered, missing, continues } = verified;
  const findings: (string | false | null)[] = [
    retired !== null && `The provider session is retired: ${retired}.`,
    ...historyFindings(verified),
    checkpointFinding(verified),
    damagedFinding(verified),
    altered > 0 &&
      `${counted(altered, "message")} of the transcript ${altered === 1 ? "is" : "are"} not as recorded.`,
    !continues &&
      "The transcript no longer begins with what the provider session was given; the next turn starts again from it.",
    missing > 0 &&
      `${counted(missing, "message")} ${missing === 1 ? "is" : "are"} not in the provider session yet.`,
  ];
  return findings.filter((finding) => typeof finding === "string");
}

function historyFindings({ examined: { state, restoration }, pin }: Verified): string[] {
  switch (state.state) {
    case "restorable": {
      const since = pin.given.length - (restoration?.pin.given.length ?? 0);
      return [
        `The provider's history is ${state.found}.`,
        state.earlier
          ? `The next turn puts it back from an earlier checkpoint, and tells the agent what came since (${counted(since, "message")}).`
          : "The next turn puts it back from the checkpoint.",
      ];
    }
    case "lost":
      return [
        `The provider's history is ${state.found}.`,
        state.checkpoint === "newer" || state.checkpoint === "foreign"
          ? "The next turn is refused."
          : "The next turn starts again from the transcript.",
      ];
    case "advanced":
      return [`${counted(state.items, "item")} more came from the provider's own program.`];
    case "rewound":
      return [
        `A person went back in the provider's own program: ${counted(state.takenBack, "message")} ${state.takenBack === 1 ? "is" : "are"} taken back, ${counted(state.items, "item")} came after.`,
        "The next turn follows.",
      ];
    case "unread":
      return [
        state.error.message,
        "Nothing is known of the provider's history; the next turn is refused.",
      ];
    case "compacted":
      return ["The provider compacted its own history since the last turn."];
    case "unconfirmed":
      return ["The last turn was not confirmed."];
    default:
      return [];
  }
}

function checkpointFinding({ checkpoint, newest, newestWhole, pin }: Verified): string | null {
  switch (checkpoint) {
    case "none":
      return "There is no checkpoint: what the provider loses cannot be put back.";
    case "newer":
      return "The checkpoint was written by a newer version of Reprise.";
    case "foreign":
      return `The checkpoint belongs to another agent, ${newest?.agent}.`;
    case "damaged":
      return newestWhole
        ? `The newest checkpoint is damaged; that of turn ${newestWhole.turn} is whole.`
        : "The checkpoint is damaged, and there is none before it.";
    default: {
      const then = newest?.standing?.history;
      return then && then.digest !== pin.history?.digest
        ? "The newest checkpoint is not from the last confirmed turn."
        : null;
    }
  }
}

function damagedFinding({ damaged, parts }: Verified): string | null {
  if (damaged.length === 0) return null;
  const places = damaged.slice(0, 3).map(({ name, start }) => `${name} from byte ${start}`);
  const more = damaged.length > places.length ? " and others" : "";
  return `${damaged.length} of ${counted(parts, "part")} of the checkpoints cannot be trusted: ${places.join(", ")}${more}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
