/** The answer to a gate, a form or a permission: fields, a comment, and one button for each choice. */

import type { InboxItemDetail } from "@reprise/core/api/reprise";
import { type SubmitEvent, useId, useState } from "react";
import { useAnswer } from "../../hooks/use-answer.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { FormFields, firstValues, givenValues } from "./form-fields.tsx";

export function AnswerForm({ item }: { readonly item: InboxItemDetail }) {
  const { choices, fields } = item;
  const answer = useAnswer(item.id);
  const [values, setValues] = useState(() => firstValues(fields));
  const [comment, setComment] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const commentField = useId();
  const passphraseField = useId();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { value: choice } = event.nativeEvent.submitter as HTMLButtonElement;
    const saysYes = choice === choices[0];
    answer.mutate({
      choice,
      ...(fields.length > 0 && saysYes ? { values: givenValues(fields, values) } : {}),
      ...(comment.trim() === "" ? {} : { comment: comment.trim() }),
      ...(item.passphrase === null ? {} : { passphrase }),
    });
  };
  const isTaken = answer.isPending || answer.isSuccess;
  return (
    <form onSubmit={submit} className="space-y-4">
      <FormFields fields={fields} values={values} onChange={setValues} />
      <Field label="Comment (optional)" id={commentField}>
        <textarea
          id={commentField}
          rows={2}
          value={comment}
          onChange={(event) => setComment(event.target.value)}
          className="w-full rounded-md border border-line bg-page px-3 py-2 text-sm"
        />
      </Field>
      {item.passphrase !== null && (
        <Field label={`Passphrase ${item.passphrase}`} id={passphraseField}>
          <input
            id={passphraseField}
            type="password"
            autoComplete="off"
            value={passphrase}
            onChange={(event) => setPassphrase(event.target.value)}
            // Enter would submit the first choice.
            onKeyDown={(event) => event.key === "Enter" && event.preventDefault()}
            className="w-full rounded-md border border-line bg-page px-3 py-2 text-sm"
          />
        </Field>
      )}
      <ProblemNote error={answer.error} />
      <div className="flex flex-wrap gap-2">
        {choices.map((choice, index) => (
          <Button
            key={choice}
            type="submit"
            value={choice}
            primary={index === 0}
            // A rejection needs no fields.
            formNoValidate={index > 0}
            disabled={isTaken || (item.passphrase !== null && passphrase === "")}
          >
            {choice}
          </Button>
        ))}
      </div>
    </form>
  );
}
