/** Changes the folder of provider sessions in their pins after the folder has moved. */

import type { Pin } from "@reprise/core/session/pin";
import { rebasedPin } from "@reprise/core/session/places";
import { fromJson } from "../json.ts";
import type { Verb } from "../verb.ts";

export const rebasePins: Verb<"rebasePins"> = function* (db, { from, to }) {
  let count = 0;
  for (const { key, agent, data } of yield* db.all<{ key: string; agent: string; data: string }>(
    "SELECT key, agent, data FROM pin",
  )) {
    const rebased = JSON.stringify(rebasedPin(fromJson<Pin>(data), from, to));
    if (rebased === data) continue;
    count += yield* db.change(
      "UPDATE pin SET data = :rebased, version = version + 1 WHERE key = :key AND agent = :agent",
      {
        key,
        agent,
        rebased,
      },
    );
  }
  return count;
};
