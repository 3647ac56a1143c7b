/** The screen of the real codex, as a person uses it to go back. */

import type { Rewinding } from "./c23-rewind.cases.ts";
import type { CodexSubject } from "./codex-subject.ts";
import { clearLine, controlC, enter, esc, left, Terminal } from "./terminal.ts";

export const codexScreen: Rewinding = {
  ready: /third[\s\S]*^› Ask Codex/m,
  async rewind(terminal) {
    terminal.press(esc);
    await terminal.shows(/esc again to edit previous message/);
    terminal.press(esc);
    await terminal.shows(/Browsing transcript/);
    terminal.press(left);
    terminal.press(enter);
    await terminal.shows(/Conversation reverted to this point/);
    await clearLine(terminal, /^› Ask Codex/m);
  },
  answered: /I will remember PEAR-12\.[\s\S]*Worked for/,
  leave: async (terminal) => terminal.press(controlC),
};

/** Codex on a thread, without Reprise: goes back to before the second of three prompts, and says `typed` unless it is null. */
export async function rewindNatively(
  subject: CodexSubject,
  thread: string,
  typed: string | null,
): Promise<void> {
  const { folder, env, agentHome } = subject;
  const argv = [subject.agentSettings().binary ?? "", "--no-daemon", "resume", thread];
  using terminal = new Terminal(argv, { cwd: folder, env: { ...env, CODEX_HOME: agentHome } });
  await terminal.shows(codexScreen.ready);
  await codexScreen.rewind(terminal);
  if (typed !== null) {
    await terminal.type(typed);
    terminal.press(enter);
    await terminal.shows(codexScreen.answered);
  }
  await codexScreen.leave(terminal);
  await terminal.ended;
}
