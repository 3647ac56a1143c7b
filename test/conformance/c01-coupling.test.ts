/** C01 on the scripted agent. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { coupling } from "./c01-coupling.cases.ts";
import { Database } from "./database.ts";
import { type ScriptedSubject, startScripted } from "./scripted-subject.ts";
import { failed, recall, secret, witnessed } from "./subject.ts";

coupling("scripted", startScripted);

test("C01/scripted: model, where the program cannot change it on a resumed turn ⇒ reseed", async () => {
  await using subject = await startScripted();
  subject.program({ abilities: ["resume"] });
  const id = await subject.begin({ model: "small" });
  const seen = await subject.send(recall, { model: "large" });
  expect(witnessed(seen, id)).toBe("reseed");
  expect(failed(seen.turn)).toEqual(["model"]);
});

test("C01/scripted: runtime passes: a new version alone is only a note", async () => {
  await using subject = await startScripted();
  const id = await subject.begin();
  subject.program({ version: "2.0.0" });
  const seen = await subject.send(recall);
  expect(witnessed(seen, id)).toBe("resume");
  expect(seen.turn.notices).toMatchObject([{ code: "runtime-version" }]);
});

/** What may happen to a session between two turns. */
const disturbances: Record<string, (subject: ScriptedSubject) => object> = {
  nothing: () => ({}),
  reseed: () => ({ continuity: "reseed" }),
  blank: () => ({ continuity: "blank" }),
  folder: (subject) => ({ folder: subject.newFolder("elsewhere") }),
  model: () => ({ model: "large" }),
  "no model on resume": (subject) => {
    subject.program({ abilities: ["resume"] });
    return {};
  },
  "no resume": (subject) => {
    subject.program({ abilities: [] });
    return {};
  },
  fork: (subject) => {
    subject.program({ product: "fork" });
    return {};
  },
  edit: (subject) => {
    using database = new Database(subject);
    const [message] = database.rows("SELECT text FROM message WHERE role = 'assistant'");
    if (message) database.editMessage(String(message.text), `${message.text}!`);
    return {};
  },
  "no checkpoint": (subject) => {
    using database = new Database(subject);
    database.rows("DELETE FROM checkpoint_part RETURNING number");
    return {};
  },
  "lost file": (subject) => {
    using database = new Database(subject);
    const [pin] = database.rows("SELECT handle FROM pin");
    if (pin) subject.loseFile(String(pin.handle));
    return {};
  },
  refuse: (subject) => {
    subject.misbehave("refuse");
    return {};
  },
  "new session": (subject) => {
    subject.misbehave("new-session");
    return {};
  },
  ghost: (subject) => {
    subject.misbehave("ghost");
    return {};
  },
  "passing failure": (subject) => {
    subject.misbehave("rate-limit");
    return {};
  },
};

test("C01/scripted: no sequence of events between turns leads to the mixed state", async () => {
  const names = fc.constantFrom(...Object.keys(disturbances));
  await fc.assert(
    fc.asyncProperty(fc.array(names, { minLength: 3, maxLength: 5 }), async (sequence) => {
      await using subject = await startScripted();
      let known = await subject.begin();
      for (const name of sequence) {
        const send = disturbances[name]?.(subject) ?? {};
        // Every turn's answer repeats the secret, so every transcript has it.
        const { turn, launches, calls } = await subject.send(`echo ${secret}`, send);
        subject.rules();
        for (const [index, launch] of launches.entries()) {
          const { outcome } = turn.attempts[index]!.decision;
          expect(launch.resumed !== null).toBe(outcome === "resume");
        }
        const [launch, call] = [launches.at(-1), calls.at(-1)];
        if (!launch || !call || turn.turn.status !== "done") continue;
        const transcript = call.prompt.replaceAll(`echo ${secret}`, "").includes(secret);
        const { outcome, catchUp } = turn.decision!;
        if (outcome === "resume") {
          expect(call).toMatchObject({ session: known });
          expect(call.earlier).toBeGreaterThan(0);
          expect(transcript).toBe(catchUp! > 0);
        } else {
          expect(call).toMatchObject({ earlier: 0 });
          expect(call.session).not.toBe(known);
          expect(transcript).toBe(outcome === "reseed");
        }
        known = subject.pinned() ?? known;
      }
    }),
    { numRuns: 10, interruptAfterTimeLimit: 10_000 },
  );
});
