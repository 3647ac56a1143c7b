/** Inbox items as the public API shows them: items of gates, and turns whose agents asked a question. */

import type { InboxItemView } from "@reprise/core/api/reprise";
import { permissionChoices, questionParts, questionTitle } from "@reprise/core/session/question";
import type { Turn } from "@reprise/core/session/turn";
import type { InboxItem } from "@reprise/workflow/inbox-item";
import type { Engine } from "../engine.ts";
import { resolutionOf } from "../turn/resolution.ts";

export function itemView(item: InboxItem): InboxItemView {
  const { resolution, choices, fields, answerers, sessions, ...rest } = item;
  return {
    ...rest,
    choices: [...choices],
    fields: fields.map((field) => ({ ...field, choices: [...field.choices] })),
    questions: [],
    answerers: [...answerers],
    sessions: [...sessions],
    resolution:
      resolution &&
      (resolution.how === "answered"
        ? { ...resolution }
        : { ...resolution, choice: null, by: null, comment: null, values: {} }),
  };
}

export async function questionView({ store }: Engine, turn: Turn): Promise<InboxItemView> {
  const { id, request, asked, openedAt, askedAt } = turn;
  const origin = request.origin ?? null;
  const kind = asked?.question.kind ?? "question";
  return {
    id,
    kind,
    run: origin?.run ?? null,
    execution: origin?.execution ?? null,
    workflow: origin ? ((await store.readRun(origin.run))?.workflow ?? null) : null,
    title: asked ? questionTitle(asked.question) : `Session ${request.key} waits.`,
    message: null,
    choices: kind === "permission" ? [...permissionChoices] : [],
    fields: [],
    questions:
      asked && kind === "question"
        ? questionParts(asked.question).map(({ text, options }) => ({
            text,
            options: [...options],
          }))
        : [],
    answerers: [],
    passphrase: null,
    sessions: [request.key],
    deadline: null,
    openedAt: askedAt ?? openedAt,
    resolution: resolutionOf(turn),
  };
}
