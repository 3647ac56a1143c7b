/**
 * A pin: a confirmed provider session, with what it was given and what its history looked like. A
 * provisional pin: the same for a first turn that was cut off after a tool had run. It is stored with logical places.
 */

import type { ChainEnd } from "../conversation/slice.ts";
import type { Usage } from "../usage/usage.ts";

/** A provider session: the provider's own id, and the place (a home, a project folder) where it lives. */
export interface Handle {
  readonly id: string;
  readonly place: string;
}

/** Which program produced the session. `abilities` are what its probe found (see `Ability`). */
export interface Runtime {
  readonly product: string;
  readonly home: string;
  readonly version: string;
  readonly abilities: readonly Ability[];
}

/** `resume`: can continue a session by id. `model-on-resume`: takes another model on a resumed turn. */
export type Ability = "resume" | "model-on-resume";

/** What a turn that was never confirmed left behind in the provider's history. */
interface Residue {
  readonly turn: string;
  /** The provider's history after that turn. */
  readonly history: ChainEnd;
  /** A tool ran: what it left is kept, because its effects are real. */
  readonly tools: boolean;
  /** The slice as the provider session now has it, if the residue is kept. */
  readonly given: ChainEnd;
}

/** The fields of a pin that change with every turn. A checkpoint keeps them, so that a restored pin has them too. */
export type PinProgress = Pick<
  Pin,
  | "given"
  | "cursor"
  | "history"
  | "context"
  | "summary"
  | "residue"
  | "instructions"
  | "totals"
  | "tokens"
  | "bytes"
>;

/** A provider session that the first turn of its key will make from the history of another one. */
export interface Fork {
  /** The key that was forked. */
  readonly key: string;
  /**
   * `copy`: its files are in the checkpoint, under an id of their own. `command`: the provider's program
   * forks `source`, if that has not changed. `transcript`: the provider cannot fork there.
   */
  readonly by: "copy" | "command" | "transcript";
  readonly source: Handle | null;
}

/** Why a pin is only provisional: the first turn of its provider session was cut off after a tool had run. */
interface Provisional {
  readonly turn: string;
}

export interface Pin {
  /** For a fork by command or transcript, a placeholder that no provider knows. */
  readonly handle: Handle;
  readonly fork?: Fork;
  /** No turn of this provider session has been confirmed yet; the first confirmed one removes this. */
  readonly provisional?: Provisional;
  readonly provider: string;
  readonly agent: string;
  /** Real path of the work folder. */
  readonly folder: string;
  readonly runtime: Runtime;
  /** The version that the program named in the last turn; absent if it names none. */
  readonly reportedVersion?: string;
  /** The model that the last turn named; null for the default. */
  readonly model: string | null;
  /** The model that the last turn ran on, as its program reported; absent if it reports none. */
  readonly ran?: string;
  /** The model that this provider session runs on when none is named. */
  readonly usual?: string;
  /** An account id, or a keyed digest of an API key; null if unknown. */
  readonly account: string | null;
  /** Digest of the instructions that the provider session was sent; null if it may have lost them. */
  readonly instructions: string | null;
  /** The slice that this provider session was given, its own answers included. */
  readonly given: ChainEnd;
  /** The last message that the provider session has confirmed. */
  readonly cursor: string | null;
  /** The provider's history as it was confirmed; null if the provider has no readable history. */
  readonly history: ChainEnd | null;
  /** What else the model reads from the provider's files (`History.context`); absent if unknown. */
  readonly context?: ChainEnd;
  /** Digest of the last summary in that history (`lastSummary`); a different one means that it was compacted since. */
  readonly summary: string | null;
  readonly residue: Residue | null;
  /** Running totals the provider reported last, to be subtracted from the next report. */
  readonly totals: Usage | null;
  /** Unknown failures in a row. */
  readonly strikes: number;
  readonly turns: number;
  /** Input tokens of the last turn: how large the context has become. */
  readonly tokens: number;
  /** Size of the provider's history in bytes. */
  readonly bytes: number;
  readonly startedAt: number;
  readonly confirmedAt: number;
}

// The places in a pin. It is stored with logical places: what lies in Reprise's home, in the agent's home or in the
// work folder is named from there, so that the pin still fits when that folder has another path. Everything outside
// the store works with absolute paths. A pin that was stored with absolute paths is read as it is.
// /

const home = "@home";
const agentHome = "@agent-home";
const workspace = "@workspace";

/** A folder, and what stands for it. */
type Base = readonly [from: string | null, to: string | null];

/** The pin as it is stored. `root` is the real path of Reprise's home; null if it has no places in it. */
export function storedPin(pin: Pin, root: string | null): Pin {
  const own = pin.runtime.home;
  const bases: readonly Base[] = [
    [root, home],
    [pin.folder, workspace],
  ];
  return withPlaces(pin, {
    folder: replaced(pin.folder, [[root, home]]),
    home: replaced(own, bases),
    place: (path) => replaced(path, [[own, agentHome], ...bases]),
  });
}

/** The stored pin with absolute paths. */
export function resolvedPin(stored: Pin, root: string | null): Pin {
  const folder = replaced(stored.folder, [[home, root]]);
  const bases: readonly Base[] = [
    [home, root],
    [workspace, folder],
  ];
  const own = replaced(stored.runtime.home, bases);
  return withPlaces(stored, {
    folder,
    home: own,
    place: (path) => replaced(path, [[agentHome, own], ...bases]),
  });
}

/** The pin after the folder `from`, where its provider's files are, became `to`. */
export function rebasedPin(pin: Pin, from: string, to: string): Pin {
  const moved = (path: string) => replaced(path, [[from, to]]);
  return withPlaces(pin, { folder: pin.folder, home: moved(pin.runtime.home), place: moved });
}

/** How the folder, or the folders below it, may begin in a stored pin. */
export function storedFolders(folder: string, root: string | null): string[] {
  if (root === null) return [folder];
  const inHome = replaced(folder, [[root, home]]);
  const hasHome = replaced(root, [[folder, ""]]) !== root || folder === "/";
  return [folder, ...(inHome !== folder ? [inHome] : hasHome ? [home] : [])];
}

function withPlaces(
  pin: Pin,
  places: {
    readonly folder: string;
    readonly home: string;
    readonly place: (path: string) => string;
  },
): Pin {
  const { handle, runtime, fork } = pin;
  return {
    ...pin,
    handle: { ...handle, place: places.place(handle.place) },
    ...(fork?.source && {
      fork: { ...fork, source: { ...fork.source, place: places.place(fork.source.place) } },
    }),
    folder: places.folder,
    runtime: { ...runtime, home: places.home },
  };
}

/** With the first base that the path is, or lies below. */
function replaced(path: string, bases: readonly Base[]): string {
  for (const [from, to] of bases) {
    if (!from || to === null || from === "/") continue;
    if (path === from || path.startsWith(`${from}/`)) return `${to}${path.slice(from.length)}`;
  }
  return path;
}

// How a pin names the account of an API key: `key:`, then a digest of the key.

/** Before a digest that is keyed by the secret of the store; earlier ones are keyed by the file `secret` of the home. */
const mark = "s-";

/** A digest that is keyed by the secret of the store, as it is written. */
export function storeKeyed(digest: string): string {
  return `${mark}${digest}`;
}

export function isKey(account: string | null | undefined): boolean {
  return account?.startsWith("key:") ?? false;
}

/** An account that can be recognised only with the file `secret` of the home in which it was pinned. */
export function needsHomeSecret(account: string | null | undefined): boolean {
  return isKey(account) && !account?.startsWith(`key:${mark}`);
}
