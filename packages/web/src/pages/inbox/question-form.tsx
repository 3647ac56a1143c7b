/** The answer to an agent: a text for each of its questions, or a refusal. */

import type { InboxItemDetail, QuestionPartView } from "@reprise/core/api/reprise";
import { useId, useState } from "react";
import { useAnswer } from "../../hooks/use-answer.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";

export function QuestionForm({ item }: { readonly item: InboxItemDetail }) {
  const answer = useAnswer(item.id);
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const asked = item.questions;
  const isTaken = answer.isPending || answer.isSuccess;
  const isWhole = asked.every(({ text }) => (answers[text] ?? "").trim() !== "");
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        answer.mutate({ answers });
      }}
    >
      {asked.map((each, index) => (
        <Question
          key={each.text}
          asked={each}
          number={asked.length > 1 ? index + 1 : null}
          value={answers[each.text] ?? ""}
          onChange={(value) => setAnswers({ ...answers, [each.text]: value })}
        />
      ))}
      <ProblemNote error={answer.error} />
      <div className="flex flex-wrap gap-2">
        <Button primary type="submit" disabled={isTaken || !isWhole}>
          Answer
        </Button>
        <Button
          disabled={isTaken}
          onClick={() => answer.mutate({ deny: "No answer will be given." })}
        >
          Decline to answer
        </Button>
      </div>
    </form>
  );
}

interface QuestionProps {
  readonly asked: QuestionPartView;
  /** Null for a single question. */
  readonly number: number | null;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Question({ asked: { text, options }, number, value, onChange }: QuestionProps) {
  const id = useId();
  return (
    <Field label={number === null ? text : `${number}. ${text}`} id={id}>
      {options.length > 0 && (
        <div className="flex flex-wrap gap-2 pb-1">
          {options.map((option) => (
            <Button key={option} aria-pressed={option === value} onClick={() => onChange(option)}>
              {option}
            </Button>
          ))}
        </div>
      )}
      <textarea
        id={id}
        rows={2}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="w-full rounded-md border border-line bg-page px-3 py-2 text-sm"
      />
    </Field>
  );
}
