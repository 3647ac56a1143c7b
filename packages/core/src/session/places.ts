/**
 * The places in a pin. It is stored with logical places: what lies in Reprise's home, in the agent's home or in the
 * work folder is named from there, so that the pin still fits when that folder has another path. Everything outside
 * the store works with absolute paths. A pin that was stored with absolute paths is read as it is.
 */

import type { Pin } from "./pin.ts";

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
