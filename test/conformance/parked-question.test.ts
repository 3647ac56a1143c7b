/** Questions that are cancelled, on the scripted agent. */

import { parkedQuestions } from "./parked-question.cases.ts";
import { startScripted } from "./scripted-subject.ts";

parkedQuestions("scripted", {
  start: startScripted,
  ask: (subject, question) => subject.script([{ ask: question }]),
});
