/** Sends a turn, as the guards decide, or with a new provider session. */

import { type SubmitEvent, useId, useState } from "react";
import { useSend } from "../../hooks/use-send.ts";
import { Button } from "../../parts/button.tsx";
import { Card } from "../../parts/card.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";

const continuities = {
  guards: "as the guards decide",
  reseed: "reseed: a new provider session, sent the transcript",
  blank: "blank: a new provider session, sent nothing of it",
};
type Continuity = keyof typeof continuities;

interface SendFormProps {
  readonly sessionKey: string;
  readonly archived: boolean;
}

export function SendForm({ sessionKey, archived }: SendFormProps) {
  const send = useSend(sessionKey);
  const [prompt, setPrompt] = useState("");
  const [continuity, setContinuity] = useState<Continuity>("guards");
  const ids = { prompt: useId(), continuity: useId() };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    send.mutate(
      { prompt, ...(continuity === "guards" ? {} : { continuity }) },
      { onSuccess: () => setPrompt("") },
    );
  };
  return (
    <Card title="Send">
      {archived && <p className="mb-3 text-sm text-muted">Revive the session to send to it.</p>}
      <form onSubmit={submit} className="space-y-3">
        <Field label="Prompt" id={ids.prompt}>
          <textarea
            id={ids.prompt}
            rows={4}
            required
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
            className="w-full rounded-md border border-line bg-page px-3 py-2 text-sm"
          />
        </Field>
        <Field label="How" id={ids.continuity}>
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
          {send.isPending ? "Sending …" : "Send"}
        </Button>
      </form>
    </Card>
  );
}
