/** The findings of a verification, as sentences. */

import type { CheckpointState } from "@reprise/core/session/history";
import type { Pin } from "@reprise/core/session/pin";
import type { CheckpointHead, CheckpointPart } from "@reprise/store/contract/checkpoints";
import type { Examination } from "../turn/checkpoint.ts";

interface Verified {
  readonly pin: Pin;
  readonly retired: string | null;
  readonly examined: Examination;
  /** The state of the newest; null if the provider needs no checkpoints. */
  readonly checkpoint: CheckpointState | null;
  readonly newest: CheckpointHead | null;
  readonly newestWhole: CheckpointHead | null;
  readonly parts: number;
  readonly damaged: readonly CheckpointPart[];
  /** Messages whose text differs from what was recorded. */
  readonly altered: number;
  /** Messages that the provider session has not been sent. */
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
      `${counted(altered, "message")} of the transcript ${altered === 1 ? "differs" : "differ"} from what was recorded.`,
    !continues &&
      "The transcript no longer begins with what the provider session was sent; the next turn reseeds from it.",
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
          ? `The next turn restores it from an earlier checkpoint and sends the agent what came after it (${counted(since, "message")}).`
          : "The next turn restores it from the checkpoint.",
      ];
    }
    case "lost":
      return [
        `The provider's history is ${state.found}.`,
        state.checkpoint === "newer" || state.checkpoint === "foreign"
          ? "The next turn is refused."
          : "The next turn reseeds from the transcript.",
      ];
    case "advanced":
      return [
        `The provider's own program added ${state.items} more item${state.items === 1 ? "" : "s"}.`,
      ];
    case "rewound":
      return [
        `A person went back in the provider's own program: ${counted(state.takenBack, "message")} ${state.takenBack === 1 ? "is" : "are"} taken back, ${counted(state.items, "item")} came after.`,
        "The next turn continues from there.",
      ];
    case "unread":
      return [
        state.error.message,
        "The state of the provider's history is unknown; the next turn is refused.",
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
      return "There is no checkpoint: if the provider loses its files, they cannot be restored.";
    case "newer":
      return "The checkpoint was written by a newer version of Reprise.";
    case "foreign":
      return `The checkpoint belongs to another agent, ${newest?.agent}.`;
    case "damaged":
      return newestWhole
        ? `The newest checkpoint is damaged; that of turn ${newestWhole.turn} is complete.`
        : "The checkpoint is damaged, and there is no earlier one.";
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
  return `${damaged.length} of ${counted(parts, "part")} of the checkpoints ${damaged.length === 1 ? "is" : "are"} damaged: ${places.join(", ")}${more}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
