/** The answer to an agent: a text for each of its questions, or a refusal. */

import type { InboxItemDetail } from "@reprise/core/api/reprise";
import { useId, useState } from "react";
import { useAnswer } from "../../hooks/use-answer.ts";
import { useTurn } from "../../hooks/use-turn.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { type AskedText, askedTexts } from "./asked-texts.ts";

export function QuestionForm({ item }: { readonly item: InboxItemDetail }) {
  const { data: turn } = useTurn(item.id);
  const answer = useAnswer(item.id);
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const asked = askedTexts(turn?.asked?.question.input, item.title);
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
      {asked.map((each) => (
        <Question
          key={each.text}
          asked={each}
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
  readonly asked: AskedText;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Question({ asked: { text, options }, value, onChange }: QuestionProps) {
  const id = useId();
  return (
    <Field label={text} id={id}>
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
