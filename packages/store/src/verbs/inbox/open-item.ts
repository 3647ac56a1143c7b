/** Opens an inbox item, and holds its sessions while it is open. */

import type { NewItem } from "../../contract/inbox.ts";
import type { Db, Query } from "../db.ts";
import { holdForItem } from "./item-hold.ts";

export function* openItem(db: Db, run: string, item: NewItem, at: number): Query<void> {
  yield* db.run(
    `INSERT INTO inbox_item (id, run, execution, kind, deadline, opened_at, choices, answerers,
       sessions, title, fields, message, passphrase)
     VALUES (:id, :run, :execution, :kind, :deadline, :at, :choices, :answerers, :sessions, :title,
       :fields, :message, :passphrase)`,
    {
      id: item.id,
      run,
      execution: item.execution ?? "",
      kind: item.kind,
      deadline: item.deadline,
      at,
      choices: JSON.stringify(item.choices),
      answerers: JSON.stringify(item.answerers),
      sessions: JSON.stringify(item.sessions),
      title: item.title,
      fields: JSON.stringify(item.fields),
      message: item.message,
      passphrase: item.passphrase,
    },
  );
  yield* holdForItem(db, { item: item.id, run, sessions: item.sessions, at });
}
