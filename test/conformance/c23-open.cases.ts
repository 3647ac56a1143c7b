/** C23 for every provider: a session opened in the agent's own program, on a terminal, by a person. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { withMark } from "@reprise/providers/launch/process";
import { expect, test } from "vitest";
import { until } from "../until.ts";
import { Database } from "./database.ts";
import {
  codes,
  key,
  recall,
  remember,
  type StartSubject,
  type Subject,
  secret,
  signal,
  witnessed,
} from "./subject.ts";
import { enter, Terminal } from "./terminal.ts";

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));
const pear = "PEAR-12";

/** How a person knows and uses the agent's program. */
export interface OwnProgram {
  /** The screen accepts input. */
  readonly ready: RegExp;
  /** The answer is there, and the agent has nothing more to do. */
  readonly answered: RegExp;
  leave(terminal: Terminal): Promise<void>;
  /** What it prints when it is left. */
  readonly exit: number;
}

/** `reprise session open` on a terminal; the shell around it prints how it finds the terminal again. */
export function openOn({ folder, env, home }: Subject): Terminal {
  const around = 'trap : INT; "$@"; code=$?; stty -a; exit $code';
  return new Terminal(
    ["/bin/sh", "-c", around, "sh", process.execPath, program, "sessions", "open", key],
    { cwd: folder, env: { ...env, REPRISE_HOME: home } },
  );
}

/** The whole transcript, in its order. */
function transcript(subject: Subject): unknown[] {
  using database = new Database(subject);
  return database.rows("SELECT role, text, origin FROM message ORDER BY seq");
}

const answer = (word: string) => expect.stringMatching(`^I will remember ${word}\\.?$`);

export function openedSessions(provider: string, start: StartSubject, own: OwnProgram): void {
  test(`C23/${provider}: what is typed on the agent's own screen is imported, and the next turn resumes`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    using terminal = openOn(subject);
    await terminal.shows(own.ready);
    await terminal.type(`remember ${pear}`);
    terminal.press(enter);
    await terminal.shows(own.answered);
    const busy = subject.reprise.sessions.send({ key, prompt: recall, busy: "fail" });
    await expect(busy).rejects.toMatchObject({ code: "busy", exitCode: 1 });
    await own.leave(terminal);
    expect(await terminal.ended).toBe(own.exit);
    expect(terminal.text()).toContain(`Imported 2 messages into session ${key}`);

    expect(transcript(subject)).toMatchObject([
      { role: "user", text: remember, origin: "turn" },
      { role: "assistant", text: answer(secret), origin: "turn" },
      { role: "user", text: `remember ${pear}`, origin: "native" },
      { role: "assistant", text: answer(pear), origin: "native" },
    ]);
    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("resume");
    expect(codes(seen.turn)).toEqual([]);
    expect(seen.turn.output).toBe(pear);
    // The model saw all of it in one provider session; a screen may ask for more, such as a title.
    const turns = [remember, `remember ${pear}`, recall];
    for (const [at, said] of turns.entries())
      expect(subject.witness.calls()).toContainEqual({
        session: id,
        prompt: expect.stringContaining(said),
        earlier: 2 * at,
      });
  });

  test(`C23/${provider}: a program that is killed leaves a usable terminal, and what was said is imported`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    using terminal = openOn(subject);
    await terminal.shows(own.ready);
    await terminal.type(`remember ${pear}`);
    terminal.press(enter);
    await terminal.shows(own.answered);
    // The screen shows it before the file has it.
    const file = subject.sessionFile(id);
    await until(() => /I will remember PEAR-12[^\n]*\n/.test(readFileSync(file, "utf8")));
    const { id: turn } = subject.turns().at(-1)!;
    for (const { pid } of withMark(turn)) signal(pid, "SIGKILL");
    expect(await terminal.ended).toBe(137);
    expect(terminal.state()).toEqual({ cursor: true, screen: "normal", mouseTrackingMode: "none" });
    const shown = terminal.text();
    expect(shown).toContain(`${provider} ended with exit code 137.`);
    expect(shown).toContain(`Imported 2 messages into session ${key}`);
    expect(shown).toMatch(/\sicanon\s/);
    expect(shown).toMatch(/\secho\s/);

    const seen = await subject.send(recall);
    expect(witnessed(seen, id)).toBe("resume");
    expect(seen.turn.output).toBe(pear);
    await until(() => withMark(turn).length === 0);
  });
}
