/** Sends a turn: Reprise decides whether it resumes, or you choose a new provider session. */

import { type SubmitEvent, useId, useRef, useState } from "react";
import { useMay } from "../../hooks/use-caller.ts";
import { useDraft } from "../../hooks/use-draft.ts";
import { useSend } from "../../hooks/use-send.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";

const continuities = {
  guards: "Automatic",
  reseed: "Reseed: a new provider session with the transcript",
  blank: "Blank: a new provider session without the transcript",
};
type Continuity = keyof typeof continuities;

interface SendFormProps {
  readonly sessionKey: string;
  readonly archived: boolean;
}

export function SendForm({ sessionKey, archived }: SendFormProps) {
  const send = useSend(sessionKey);
  const [prompt, setPrompt] = useDraft(`draft ${sessionKey}`);
  const [continuity, setContinuity] = useState<Continuity>("guards");
  const ids = { prompt: useId(), continuity: useId() };
  const form = useRef<HTMLFormElement>(null);
  const mayOperate = useMay("operator");
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (send.isPending || archived) return;
    send.mutate(
      { prompt, ...(continuity === "guards" ? {} : { continuity }) },
      { onSuccess: () => setPrompt("") },
    );
  };
  if (!mayOperate) return null;
  return (
    <Card title="Send">
      {archived && <p className="mb-3 text-sm text-muted">Revive the session to send to it.</p>}
      <form ref={form} onSubmit={submit} className="space-y-3">
        <Field label="Prompt" id={ids.prompt} hint="Ctrl+Enter sends it.">
          <textarea
            id={ids.prompt}
            rows={4}
            required
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === "Enter" && (event.ctrlKey || event.metaKey))
                form.current?.requestSubmit();
            }}
            className="w-full rounded-md border border-line bg-page px-3 py-2 text-sm"
          />
        </Field>
        <Field label="Continue" id={ids.continuity}>
          <select
            id={ids.continuity}
            value={continuity}
            onChange={(event) => setContinuity(event.target.value as Continuity)}
            className="w-full rounded-md border border-line bg-page px-2 py-2 text-sm"
          >
            {Object.entries(continuities).map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </Field>
        <ProblemNote error={send.error} />
        <Button primary type="submit" disabled={send.isPending || archived}>
          {send.isPending ? "Sending…" : "Send"}
        </Button>
      </form>
    </Card>
  );
}
