/** Changes the folder of provider sessions in their pins after the folder has moved. */

import type { Pin } from "@reprise/core/session/pin";
import { fromJson } from "../json.ts";
import type { Verb } from "../verb.ts";

export const rebasePins: Verb<"rebasePins"> = function* (db, { from, to }) {
  const moved = (path: string) =>
    path === from || path.startsWith(`${from}/`) ? `${to}${path.slice(from.length)}` : path;
  let count = 0;
  for (const { key, agent, data } of yield* db.all<{ key: string; agent: string; data: string }>(
    "SELECT key, agent, data FROM pin",
  )) {
    const rebased = JSON.stringify(rebase(fromJson<Pin>(data), moved));
    if (rebased === data) continue;
    count += yield* db.change(
      "UPDATE pin SET data = :rebased WHERE key = :key AND agent = :agent",
      {
        key,
        agent,
        rebased,
      },
    );
  }
  return count;
};

function rebase(pin: Pin, moved: (path: string) => string): Pin {
  const { handle, runtime, fork } = pin;
  return {
    ...pin,
    handle: { ...handle, place: moved(handle.place) },
    runtime: { ...runtime, home: moved(runtime.home) },
    ...(fork?.source && {
      fork: { ...fork, source: { ...fork.source, place: moved(fork.source.place) } },
    }),
  };
}
