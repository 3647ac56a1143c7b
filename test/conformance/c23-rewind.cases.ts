/** C23 for every provider: a person goes back in the agent's own program, on a terminal, and continues there. */

import { expect, test } from "vitest";
import { openOn } from "./c23-open.cases.ts";
import { Database } from "./database.ts";
import {
  codes,
  key,
  recall,
  remember,
  type StartSubject,
  type Subject,
  secret,
  witnessed,
} from "./subject.ts";
import { enter, type Terminal } from "./terminal.ts";

const pear = "PEAR-12";

/** How a person goes back in the agent's program. */
export interface Rewinding {
  /** The screen accepts input. */
  readonly ready: RegExp;
  /** Goes back to before the second prompt, and leaves an empty line to type into. */
  rewind(terminal: Terminal): Promise<void>;
  /** The answer is there, and the agent has nothing more to do. */
  readonly answered: RegExp;
  leave(terminal: Terminal): Promise<void>;
}

function transcript(subject: Subject): unknown[] {
  using database = new Database(subject);
  return database.rows(
    "SELECT role, text, origin, taken_back IS NOT NULL AS taken FROM message ORDER BY seq",
  );
}

const answer = (word: string) => expect.stringMatching(`^I will remember ${word}\\.?$`);

export function rewinding(id: string, provider: string, start: StartSubject, own: Rewinding): void {
  test(`${id} C23/${provider}: a rewind on the agent's own screen is followed and imported; what was taken back is marked`, async () => {
    await using subject = await start();
    const session = await subject.begin();
    await subject.send("echo second");
    await subject.send("echo third");
    using terminal = openOn(subject);
    await terminal.shows(own.ready);
    await own.rewind(terminal);
    await terminal.type(`remember ${pear}`);
    terminal.press(enter);
    await terminal.shows(own.answered);
    await own.leave(terminal);
    expect(await terminal.ended).toBe(0);
    const shown = terminal.text().replaceAll(/\s+/g, " ");
    expect(shown).toContain(`Imported 2 messages into session ${key}`);
    expect(shown).toContain("rewound in the provider's own program: 4 messages were taken back");

    expect(transcript(subject)).toMatchObject([
      { role: "user", text: remember, taken: 0 },
      { role: "assistant", text: answer(secret), taken: 0 },
      { role: "user", text: "echo second", taken: 1 },
      { role: "assistant", taken: 1 },
      { role: "user", text: "echo third", taken: 1 },
      { role: "assistant", taken: 1 },
      { role: "user", text: `remember ${pear}`, origin: "native", taken: 0 },
      { role: "assistant", text: answer(pear), origin: "native", taken: 0 },
    ]);
    // Turn after turn only the new prompt is sent, on top of what the person left.
    for (const earlier of [4, 6]) {
      const seen = await subject.send(recall);
      expect(witnessed(seen, session)).toBe("resume");
      expect(seen.calls).toMatchObject([{ earlier }]);
      expect(seen.turn.output).toBe(pear);
      expect(codes(seen.turn)).not.toContain("rewound");
    }
    expect(await subject.reprise.sessions.verify(key)).toMatchObject([
      { history: "same", checkpoint: "whole", sound: true },
    ]);
    const reseeded = await subject.send(recall, { continuity: "reseed" });
    expect(witnessed(reseeded, session)).toBe("reseed");
    expect(reseeded.calls[0]?.prompt).toContain(`remember ${pear}`);
    expect(reseeded.calls[0]?.prompt).not.toContain("echo third");
    // Seven launches and a screen.
  });
}
