/** The form for an open item, wherever it is shown: buttons for who may answer, a sentence for who may not. */

import type { InboxItemDetail } from "@reprise/core/api/reprise";
import { useMay } from "../../hooks/use-caller.ts";
import { AnswerForm } from "./answer-form.tsx";
import { QuestionForm } from "./question-form.tsx";

export function AnswerItemForm({ item }: { readonly item: InboxItemDetail }) {
  if (!useMay("approver"))
    return (
      <p className="text-sm text-muted">
        You can view this item but not answer it: your token has the role viewer.
      </p>
    );
  return item.kind === "question" ? <QuestionForm item={item} /> : <AnswerForm item={item} />;
}
