/** Records what is about to be started, before it is. */

import { appendEvent } from "./event.ts";
import { requireHeld } from "./held.ts";
import type { Verb } from "./verb.ts";

export const recordLaunch: Verb<"recordLaunch"> = (db, record) => {
  const { turn, token, number, launch, argv, handle, at } = record;
  const { stream } = requireHeld(db, { turn, token });
  const launched = db.run(
    `UPDATE attempt SET launch = :launch, argv = :argv, handle = :handle, started_at = :at
     WHERE turn = :turn AND number = :number AND ending IS NULL`,
    {
      turn,
      number,
      launch: JSON.stringify(launch),
      argv: JSON.stringify(argv),
      handle,
      at,
    },
  );
  if (launched === 0) throw new Error(`Turn ${turn} has no open attempt ${number}.`);
  appendEvent(db, stream, { type: "turn.launched", data: { turn, attempt: number } }, at);
};
