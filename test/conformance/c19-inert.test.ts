/** C19 on the scripted agent, which has the traps of real ones unless its script says that it is literal. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bridgePath } from "@reprise/providers/define-provider";
import { agentBridge } from "@reprise/providers/scripted/provider";
import { expect, test } from "vitest";
import { credentialName, inertness } from "./c19-inert.cases.ts";
import { type ScriptedSubject, startScripted } from "./scripted-subject.ts";

inertness("scripted", {
  start: startScripted,
  tellCredential: (subject) =>
    (subject as ScriptedSubject).script([{ "echo-credential": credentialName }]),
});

test("C19/scripted: a stale $PWD is not passed on", async () => {
  await using subject = await startScripted();
  subject.env.PWD = subject.newFolder("elsewhere");
  const [binary, seen] = [join(subject.root, "around"), join(subject.root, "seen")];
  const agent = `"${process.execPath}" "${bridgePath(agentBridge)}"`;
  writeFileSync(binary, `#!/bin/sh\necho "$PWD" >"${seen}"\nexec ${agent} "$@"\n`, {
    mode: 0o755,
  });
  await subject.reprise.agents.set({ name: "coder", settings: { binary } });
  await subject.begin();
  expect(readFileSync(seen, "utf8")).toBe(`${subject.folder}\n`);
});
