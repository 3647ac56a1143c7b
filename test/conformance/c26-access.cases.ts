/** C26: access is what is shown, on new and resumed turns and in nodes, and nothing but the user raises it. */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CreateAgent, RunDetail, Send, TurnResult } from "@reprise/core/api/reprise";
import { type Access, accessLevels } from "@reprise/core/session/access";
import { describe, expect, onTestFinished, test } from "vitest";
import { temporaryFolder } from "../temporary-folder.ts";
import { key, type StartSubject, type Subject } from "./subject.ts";
import { steps } from "./workflow.ts";

/** How the agent of one provider is made to do something; the files on the disk say whether it did. */
export interface Actor {
  /** Prepares the next launch, and returns what to say to it. */
  write(subject: Subject, path: string): string;
  read(subject: Subject, path: string): string;
  run(subject: Subject, command: string): string;
  /** Settings in a file that would let the agent do everything. */
  readonly raising: Readonly<Record<string, string>>;
  /** It runs any command in a sandbox of its own. */
  readonly sandboxes: boolean;
  readonly asks: boolean;
  /** All that the model was given, where a secret must not be. */
  heard(subject: Subject): string;
}

/** The program alone: nothing in it says what the agent may do. */
function plain(subject: Subject): Record<string, string> {
  const giving = ["sandbox", "allowedTools", "approvalMode", "permissions", "tools"];
  const settings = Object.entries(subject.agentSettings());
  return Object.fromEntries(settings.filter(([name]) => !giving.includes(name)));
}

/** A folder that no sandbox lets an agent write to; /tmp is open to codex. */
function outside(): string {
  const folder = temporaryFolder("reprise-access", "/var/tmp");
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function started(start: StartSubject): Promise<Subject> {
  const subject = await start();
  delete subject.env.REPRISE_MAX_ACCESS;
  // The user says that this is a sandbox, so that claude takes `full` as root.
  subject.env.IS_SANDBOX = "1";
  await subject.open();
  return subject;
}

async function create(subject: Subject, agent: Omit<CreateAgent, "provider">): Promise<void> {
  const settings = { ...plain(subject), ...agent.settings };
  await subject.reprise.agents.create({ ...agent, provider: subject.provider, settings });
}

async function send(subject: Subject, prompt: string, more: Partial<Send> = {}) {
  const turn = await subject.reprise.sessions.send({ key, agent: "worker", prompt, ...more });
  if (turn.turn.status !== "done") throw new Error(JSON.stringify(turn.error));
  return turn;
}

/** Every denial is a fact and a notice of the turn. */
function expectDenied({ denied, notices }: TurnResult, count: number): void {
  expect(denied).toHaveLength(count);
  expect(notices.filter(({ code }) => code === "denied")).toHaveLength(count);
}

export function accessCases(provider: string, start: StartSubject, actor: Actor): void {
  const title = (words: string) => `C26/${provider}: ${words}`;
  const refused = async (subject: Subject, source: string, message: RegExp, access?: Access) => {
    const launches = subject.witness.launches().length;
    const run = subject.reprise.runs.start({ source, ...(access && { access }) });
    await expect(run).rejects.toMatchObject({ code: "above-max-access", message });
    await expect(run).rejects.toMatchObject({ message: expect.stringMatching(/Node "coder"/) });
    expect(subject.witness.launches()).toHaveLength(launches);
    expect(await subject.reprise.runs.list()).toEqual([]);
  };
  const node = (subject: Subject, prompt: string, more: Record<string, unknown> = {}) => {
    const { settings, ...rest } = more;
    const own = { ...plain(subject), ...(settings as object | undefined) };
    return steps({ coder: { agent: provider, prompt, settings: own, ...rest } });
  };
  const runDone = async (subject: Subject, source: string, access?: Access) => {
    const run = await subject.reprise.runs.start({ source, ...(access && { access }) });
    if (run.status !== "done") throw new Error(JSON.stringify(run.error));
    return run;
  };
  const turnOf = (subject: Subject, { executions }: RunDetail) =>
    subject.reprise.turns.why(executions.find(({ node: id }) => id === "coder")!.turn!);

  describe("levels", () => {
    test.each(accessLevels)(title("%s, on a new turn and on a resumed one"), async (level) => {
      await using subject = await started(start);
      await create(subject, { name: "worker", access: level });
      const away = outside();
      for (const [outcome, file] of [
        ["blank", "first.txt"],
        ["resume", "second.txt"],
      ] as const) {
        const inside = await send(subject, actor.write(subject, join(subject.folder, file)));
        expect(inside).toMatchObject({ access: level, decision: { outcome } });
        expect(existsSync(join(subject.folder, file))).toBe(level !== "read");
        expectDenied(inside, level === "read" ? 1 : 0);
      }
      const far = await send(subject, actor.write(subject, join(away, "far.txt")));
      expect(existsSync(join(away, "far.txt"))).toBe(level === "full");
      expectDenied(far, level === "full" ? 0 : 1);
    });

    test(title("a turn's own access applies to that turn, higher or lower"), async () => {
      await using subject = await started(start);
      await create(subject, { name: "worker" });
      const file = (name: string) => join(subject.folder, name);
      const lowered = await send(subject, actor.write(subject, file("a")), { access: "read" });
      expect([lowered.access, existsSync(file("a"))]).toEqual(["read", false]);
      const usual = await send(subject, actor.write(subject, file("b")));
      expect([usual.access, existsSync(file("b"))]).toEqual(["edit", true]);
      const away = join(outside(), "c");
      const raised = await send(subject, actor.write(subject, away), { access: "full" });
      expect([raised.access, existsSync(away)]).toEqual(["full", true]);
    });

    test(title("settings that allow more than the named access are shown as full"), async () => {
      await using subject = await started(start);
      if (Object.keys(actor.raising).length === 0) return;
      await create(subject, { name: "worker", access: "read", settings: actor.raising });
      expect(await subject.reprise.agents.show("worker")).toMatchObject({ access: "full" });
      const file = join(subject.folder, "made.txt");
      const made = await send(subject, actor.run(subject, `touch ${file}`));
      expect([made.access, existsSync(file)]).toEqual(["full", true]);
      // A lower access for one turn removes all of it.
      const again = join(subject.folder, "again.txt");
      const denied = await send(subject, actor.run(subject, `touch ${again}`), { access: "read" });
      expect([denied.access, existsSync(again)]).toEqual(["read", false]);
      expectDenied(denied, 1);
    });
  });

  describe("commands", () => {
    test(title("edit runs a command in a sandbox, or exactly those that are named"), async () => {
      await using subject = await started(start);
      await create(subject, { name: "worker", allowedCommands: ["touch named.txt"] });
      const made = (name: string) => existsSync(join(subject.folder, name));
      expectDenied(await send(subject, actor.run(subject, "touch named.txt")), 0);
      expect(made("named.txt")).toBe(true);
      const more = await send(subject, actor.run(subject, "touch named.txt; touch more.txt"));
      expect(made("more.txt")).toBe(actor.sandboxes);
      expectDenied(more, actor.sandboxes ? 0 : 1);
      const far = join(outside(), "far.txt");
      expectDenied(await send(subject, actor.run(subject, `touch ${far}`)), 1);
      expect(existsSync(far)).toBe(false);
    });
  });

  describe("in nodes", () => {
    test(title("a node without access gets edit, and one that lowers it is marked"), async () => {
      await using subject = await started(start);
      const file = (name: string) => join(subject.folder, name);
      const edited = await runDone(subject, node(subject, actor.write(subject, file("a"))));
      expect(existsSync(file("a"))).toBe(true);
      expect(await turnOf(subject, edited)).toMatchObject({ access: "edit", denied: [] });

      const source = node(subject, actor.write(subject, file("b")), { access: "read" });
      const looked = await runDone(subject, source);
      expect(existsSync(file("b"))).toBe(false);
      expect(looked.executions.find(({ node: id }) => id === "coder")).toMatchObject({
        status: "done",
        denied: [expect.stringContaining(file("b"))],
      });
    });

    test(title("nothing in a workflow raises it; only the caller can"), async () => {
      await using subject = await started(start);
      await refused(subject, node(subject, "hello", { access: "full" }), /access full.*is edit/);
      if (Object.keys(actor.raising).length > 0)
        await refused(
          subject,
          node(subject, "hello", { settings: actor.raising }),
          /settings give/,
        );
      const away = join(outside(), "far.txt");
      const source = node(subject, actor.write(subject, away), { access: "full" });
      const run = await runDone(subject, source, "full");
      expect(existsSync(away)).toBe(true);
      expect(await turnOf(subject, run)).toMatchObject({ access: "full" });
    });

    test(title("neither does a class, an agent, or the project folder"), async () => {
      await using subject = await started(start);
      const { agents } = subject.reprise;
      const { provider } = subject;
      const settings = plain(subject);
      const all = agents.createClass({ name: "boss", provider, settings, access: "full" });
      await expect(all).rejects.toMatchObject({ code: "above-max-access", exitCode: 5 });
      if (Object.keys(actor.raising).length > 0) {
        const raised = { ...settings, ...actor.raising };
        await agents.createClass({ name: "boss", provider, settings: raised });
        const made = agents.create({ name: "anna", class: "boss" });
        await expect(made).rejects.toMatchObject({ code: "above-max-access" });
        await refused(
          subject,
          steps({ coder: { agentClass: "boss", prompt: "hello" } }),
          /Class boss gives access full/,
        );
      }
      await create(subject, { name: "worker", access: "full" });
      const inherits = { agentId: "worker", mode: "inherit_fresh", prompt: "hello" };
      await refused(subject, steps({ coder: inherits }), /Agent worker gives access full/);

      mkdirSync(join(subject.folder, ".reprise"));
      writeFileSync(
        join(subject.folder, ".reprise", "config.yaml"),
        "maxAccess: full\nallowedCommands: [touch made.txt]\n",
      );
      await subject.open();
      await refused(subject, node(subject, "hello", { access: "full" }), /maxAccess.*is edit/);
    });
  });

  describe("denials", () => {
    test(title("onDenied fail makes the turn fail, and its session continues"), async () => {
      await using subject = await started(start);
      await create(subject, { name: "worker", access: "read", onDenied: "fail" });
      const prompt = actor.write(subject, join(subject.folder, "a"));
      const { reprise } = subject;
      const failed = await reprise.sessions.send({ key, agent: "worker", prompt });
      expect(failed).toMatchObject({ turn: { status: "failed" }, error: { code: "denied" } });
      const next = await send(subject, "hello");
      expect(next.decision).toMatchObject({ outcome: "resume" });
    });

    test(title("onDenied ask puts it into the inbox, or is refused"), async () => {
      await using subject = await started(start);
      if (!actor.asks) {
        const made = create(subject, { name: "worker", onDenied: "ask" });
        await expect(made).rejects.toMatchObject({ code: "cannot-ask", exitCode: 2 });
        return;
      }
      await create(subject, { name: "worker", onDenied: "ask" });
      const file = join(subject.folder, "asked.txt");
      const prompt = actor.run(subject, `touch ${file}`);
      const { reprise } = subject;
      const waiting = await reprise.sessions.send({ key, agent: "worker", prompt });
      expect(waiting).toMatchObject({
        turn: { status: "waiting" },
        asked: { question: { kind: "permission" } },
      });
      expect(existsSync(file)).toBe(false);
      const [item] = await reprise.inbox.list();
      await reprise.inbox.answer({ item: item!.id, choice: "allow", by: "me" });
      expect(existsSync(file)).toBe(true);
    });
  });

  test(`V20 ${title("the home's database, token and secret are hidden from file tools")}`, async () => {
    await using subject = await started(start);
    await create(subject, { name: "worker" });
    await create(subject, { name: "other" });
    const own = join(subject.home, "agents", "worker");
    const others = join(subject.home, "agents", "other");
    for (const folder of [own, others]) {
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "note.txt"), `NOTE-OF-${folder.split("/").at(-1)}`);
    }
    writeFileSync(join(subject.home, "token"), "TOKEN-OF-THE-HOME");
    const secret = readFileSync(join(subject.home, "secret"), "utf8");
    for (const path of ["secret", "token", "reprise.db"])
      expectDenied(await send(subject, actor.read(subject, join(subject.home, path))), 1);
    expectDenied(await send(subject, actor.read(subject, join(others, "note.txt"))), 1);
    await send(subject, actor.read(subject, join(own, "note.txt")));
    const heard = actor.heard(subject);
    expect(heard).toContain("NOTE-OF-worker");
    for (const word of [secret, "TOKEN-OF-THE-HOME", "NOTE-OF-other", "SQLite format"])
      expect(heard).not.toContain(word);
  });
}
