/** C25, the permissions, on the scripted agent. */

import { nothingAsked, onlyAnAllowAllows, type ParkedTurn } from "./c25-permission.cases.ts";
import { startScripted } from "./scripted-subject.ts";

async function park(): Promise<ParkedTurn> {
  const subject = await startScripted();
  subject.rules({ when: { prompt: "build" }, do: [{ "ask-permission": "deploy" }] });
  const { turn } = await subject.send("build it");
  const ran = () => subject.ledger("tool").filter(({ name }) => name === "deploy").length;
  return { subject, turn: turn.turn.id, ran };
}

onlyAnAllowAllows("scripted", park);
nothingAsked("scripted", startScripted);
