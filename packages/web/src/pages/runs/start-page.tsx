/** Starts a run from an example or from a pasted workflow. */

import { type SubmitEvent, useId, useState } from "react";
import { examples, offline } from "../../examples/examples.ts";
import { useStartRun } from "../../hooks/use-start-run.ts";
import { useTitle } from "../../hooks/use-title.ts";
import { Button } from "../../parts/button.tsx";
import { Field } from "../../parts/field.tsx";
import { ProblemNote } from "../../parts/problem-note.tsx";
import { readInputs } from "./inputs.ts";

const box = "w-full rounded-md border border-line bg-surface px-3 py-2 text-sm";

export function StartPage() {
  useTitle("Start a run");
  const [source, setSource] = useState(offline.source);
  const [inputs, setInputs] = useState("");
  const [folder, setFolder] = useState("");
  const start = useStartRun();
  const ids = { example: useId(), source: useId(), inputs: useId(), folder: useId() };
  const chosen = examples.findIndex((example) => example.source === source);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    start.mutate({
      source,
      inputs: readInputs(inputs),
      ...(folder.trim() === "" ? {} : { folder: folder.trim() }),
    });
  };
  return (
    <form onSubmit={submit} className="max-w-3xl space-y-4">
      <h1 className="text-xl font-semibold">Start a run</h1>
      <Field label="Example" id={ids.example} hint={examples[chosen]?.about ?? ""}>
        <select
          id={ids.example}
          value={chosen}
          onChange={(event) => setSource(examples[Number(event.target.value)]?.source ?? source)}
          className={box}
        >
          <option value={-1}>your own workflow</option>
          {examples.map(({ name }, index) => (
            <option key={name} value={index}>
              {name}
            </option>
          ))}
        </select>
      </Field>
      <Field label="Workflow" id={ids.source} hint="YAML or JSON. Paste your own here.">
        <textarea
          id={ids.source}
          rows={18}
          required
          spellCheck={false}
          value={source}
          onChange={(event) => setSource(event.target.value)}
          className={`${box} font-mono text-[0.8rem] leading-relaxed`}
        />
      </Field>
      <Field label="Inputs (optional)" id={ids.inputs} hint="One per line: name=value">
        <textarea
          id={ids.inputs}
          rows={3}
          spellCheck={false}
          value={inputs}
          onChange={(event) => setInputs(event.target.value)}
          className={`${box} font-mono text-[0.8rem]`}
        />
      </Field>
      <Field
        label="Folder (optional)"
        id={ids.folder}
        hint="The folder on the server where agents work. Empty: the folder where the server was started."
      >
        <input
          id={ids.folder}
          value={folder}
          onChange={(event) => setFolder(event.target.value)}
          className={`${box} font-mono text-[0.8rem]`}
        />
      </Field>
      <ProblemNote error={start.error} />
      <Button primary type="submit" disabled={start.isPending}>
        {start.isPending ? "Starting…" : "Start"}
      </Button>
    </form>
  );
}
