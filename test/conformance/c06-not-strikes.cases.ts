/** C06 for every provider: what is not the session's fault never retires it. */

import { expect, test } from "vitest";
import { testWithTools } from "./lacks.ts";
import { type Misbehaviour, recall, type StartSubject, secret, witnessed } from "./subject.ts";

const failures: readonly (readonly [Misbehaviour, RegExp])[] = [
  ["no-login", /^login$/],
  ["portal", /^(request-refused|transient)$/],
  ["no-model", /^request-refused$/],
  ["empty", /^empty-answer$/],
];

export function notStrikes(provider: string, start: StartSubject): void {
  for (const [how, code] of failures)
    test(`S0h C06/${provider}: ${how}, again and again, leaves the session as it was`, async () => {
      await using subject = await start({ settings: { maxStrikes: 2 } });
      const id = await subject.begin();
      for (let time = 0; time < 2; time += 1) {
        subject.misbehave(how);
        const { turn, launches } = await subject.send("echo on");
        expect(turn.turn.status).toBe("failed");
        expect(turn.error?.code).toMatch(code);
        expect(turn.output).toBeNull();
        expect(launches).toMatchObject([{ resumed: id }]);
      }
      const next = await subject.send(recall);
      expect(witnessed(next, id)).toBe("resume");
      expect(next.turn.output).toContain(secret);
    });

  test(`S0h C06/${provider}: a missing login says how to log in`, async () => {
    await using subject = await start();
    subject.misbehave("no-login");
    const { turn } = await subject.send("echo on");
    const logsIn: Record<string, string> = {
      claude: "claude /login",
      codex: "codex login",
      openai: "OPENAI_API_KEY",
    };
    expect(turn.error).toMatchObject({
      code: "login",
      hint: expect.stringContaining(logsIn[provider] ?? "Log in"),
    });
  });

  testWithTools(
    provider,
    `S0h C06/${provider}: an empty answer after a tool is done, and says so`,
    async () => {
      await using subject = await start();
      const id = await subject.begin();
      subject.misbehave("empty-after-tool");
      const { turn } = await subject.send("echo on");
      expect(turn).toMatchObject({ turn: { status: "done" }, attempts: [{ tools: true }] });
      expect(turn.notices).toContainEqual(expect.objectContaining({ code: "empty-answer" }));
      const next = await subject.send(recall);
      expect(next.launches).toMatchObject([{ resumed: id }]);
      expect(next.turn.output).toContain(secret);
    },
  );
}
