/** C15 with workflows/test-resumable-scripted.yaml: the agent's own ledger is the witness. */

import { globSync } from "node:fs";
import { join } from "node:path";
import { readLedger } from "@reprise/providers/scripted/ledger";
import { resumable } from "./c15-resumable.cases.ts";
import { callOf, launchOf, startScripted } from "./scripted-subject.ts";
import type { Witness } from "./subject.ts";

resumable("scripted", "scripted", async () => {
  const subject = await startScripted();
  await subject.close();
  const ledger = (event: string) =>
    globSync("agents/*/scripted/ledger.jsonl", { cwd: subject.home })
      .flatMap((name) => readLedger(join(subject.home, name)))
      .filter((line) => line.event === event);
  const witness: Witness = {
    launches: () => ledger("start").map(launchOf),
    calls: () => ledger("model").map(callOf),
    wire: () => ledger("model").map((line) => JSON.stringify(line)),
  };
  // The script that the file names has its answers.
  const review = () => {};
  return { subject, witness, review, [Symbol.asyncDispose]: () => subject[Symbol.asyncDispose]() };
});
