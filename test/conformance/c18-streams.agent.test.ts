/** C18 on the real agents, as far as a wrapper program and their model can provoke it. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Progress } from "@reprise/core/api/reprise";
import { identify, withMark } from "@reprise/providers/launch/process";
import { expect, test } from "vitest";
import { appears, until } from "../until.ts";
import { onRealAgents } from "./real-agents.ts";
import type { RealSubject } from "./real-subject.ts";
import { codes, gone, recall, secret, signal, witnessed } from "./subject.ts";

/** The next turn continues the session with all that was said. */
async function goesOn(subject: RealSubject, id: string, earlier?: number): Promise<void> {
  const next = await subject.send(recall);
  expect(witnessed(next, id)).toBe("resume");
  if (earlier !== undefined) expect(next.calls).toMatchObject([{ earlier }]);
  expect(next.turn.output).toBe(secret);
}

/** A process of a tool that ticks into a file until it is killed. */
const ticking = (file: string) => `while :; do echo >>'${file}'; sleep 0.05; done`;

/** The pid that a command wrote into a file. */
async function written(file: string): Promise<number> {
  await until(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"));
  return Number(readFileSync(file, "utf8"));
}

onRealAgents("C18", (provider, start) => {
  test(`C18/${provider}: lines that are split across chunks, also inside characters`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const answer = "Grüße 🎉 aus Köln";
    const texts: string[] = [];
    const onProgress = (progress: Progress) => {
      if (progress.type === "text") texts.push(progress.text);
    };
    subject.filter("dd bs=1 2>/dev/null");
    const { turn } = await subject.send(`echo ${answer}`, {}, { onProgress });
    expect(turn).toMatchObject({ turn: { status: "done" }, output: answer });
    expect(texts).toEqual([answer]);
    await goesOn(subject, id, 4);
  });

  test(`C18/${provider}: a line of 50 MB`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    subject.filter(
      `head -c 52428800 /dev/zero | tr '\\0' x; echo; cat; head -c 52428800 /dev/zero | tr '\\0' x`,
    );
    const { turn } = await subject.send("echo small");
    expect(turn).toMatchObject({ turn: { status: "done" }, output: "small" });
    await goesOn(subject, id, 4);
  });

  test(`C18/${provider}: a long answer arrives whole`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    // With more text codex would compact its history by itself.
    // Gemini stops an answer that repeats itself.
    const numbers = Array.from({ length: 64 * 1024 }, (_, number) => `ä${number}`);
    const answer = numbers.join(" ").slice(0, 256 * 1024);
    subject.answer([{ text: answer }]);
    const { turn } = await subject.send("tell me everything");
    expect(turn.turn.status).toBe("done");
    expect(turn.output === answer).toBe(true);
    await goesOn(subject, id, 4);
  });

  test(`C18/${provider}: bad UTF-8, noise, and warnings on standard error`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    subject.filter(`echo 'Warning: {"type":"result"}'
printf 'caf\\351\\n{"type":"no such thing"}\\n{"half": \\n\\n[1]\\nnull\\n{}\\n'
echo 'No conversation found with session ID: 1' >&2
cat
echo 'the end'`);
    const { turn } = await subject.send("echo fine");
    expect(turn).toMatchObject({ turn: { status: "done" }, output: "fine" });
    await goesOn(subject, id, 4);
  });

  test(`C18/${provider}: usage is that of the turn, and not of the session`, async () => {
    await using subject = await start();
    const usages = [];
    for (const word of ["one", "two", "six"])
      usages.push((await subject.send(`echo ${word}`)).turn.usage!);
    const [output, ...more] = usages.map((usage) => usage.output);
    expect(output).toBeGreaterThan(0);
    expect(more).toEqual([output, output]);
    const input = usages.map(({ cachedRead, cachedWrite, uncached }) =>
      [cachedRead, cachedWrite, uncached].reduce<number>((sum, part) => sum + (part ?? 0), 0),
    );
    // A request is at most a little larger than the one before it.
    expect(input[2]).toBeLessThan(1.2 * input[1]!);
  });

  test(`C18/${provider}: a prompt of 1 MB arrives whole`, async () => {
    await using subject = await start();
    const order = "\necho received";
    const prompt = `${"ä".repeat((1024 * 1024 - order.length) / 2)}${order}`;
    const { turn, calls } = await subject.send(prompt);
    expect(turn).toMatchObject({ turn: { status: "done" }, output: "received" });
    expect(calls[0]?.prompt === prompt).toBe(true);
  });

  test(`C18/${provider}: a tool that ignores SIGTERM is gone when its turn was cancelled`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const pid = join(subject.root, "pid");
    const child = `trap "" TERM; echo $$ >'${pid}'; ${ticking(join(subject.root, "ticks"))}`;
    subject.answer([{ shell: `setsid sh -c '${child.replaceAll("'", `'\\''`)}'` }]);
    const stop = new AbortController();
    const sent = subject.send("serve", {}, { signal: stop.signal });
    const stubborn = await written(pid);
    stop.abort();
    const { turn } = await sent;
    expect(turn.turn.status).toBe("cancelled");
    expect(identify(stubborn)).toBeNull();
    expect(withMark(turn.turn.id)).toEqual([]);
    await goesOn(subject, id);
  });

  test(`C18/${provider}: a tool's child that outlives its agent is named, and left alone`, async () => {
    await using subject = await start();
    const id = await subject.begin();
    const [pid, ticks] = [join(subject.root, "pid"), join(subject.root, "ticks")];
    const child = `echo $$ >'${pid}'; ${ticking(ticks)}`.replaceAll("'", `'\\''`);
    subject.answer([
      { shell: `setsid sh -c '${child}' </dev/null >/dev/null 2>&1 &` },
      { text: "It serves." },
    ]);
    const { turn } = await subject.send("serve");
    expect(turn).toMatchObject({ turn: { status: "done" }, output: "It serves." });
    const survivor = await written(pid);
    expect(codes(turn)).toContain("survivors");
    expect(turn.notices.find(({ code }) => code === "survivors")?.text).toContain(String(survivor));

    await goesOn(subject, id);
    await appears(ticks);
    const before = readFileSync(ticks).length;
    await until(() => readFileSync(ticks).length > before);
    signal(survivor, "SIGKILL");
    await gone(turn.turn.id);
  });
});
