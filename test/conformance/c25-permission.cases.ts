/** C25, the permissions: only an explicit allow lets an agent do what it asked for, on every surface. */

import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { errorView } from "@reprise/core/errors/errors";
import { expect, test } from "vitest";
import { addWebhook } from "../../packages/reprise/src/server/webhook/hooks.ts";
import { signatureOf } from "../../packages/reprise/src/server/webhook/signature.ts";
import { type Served, serve, token } from "../surfaces/served.ts";
import { key, type Subject } from "./subject.ts";

/** A subject whose agent waits for the permission to run one command. */
export interface ParkedTurn {
  readonly subject: Subject;
  readonly turn: string;
  /** How often the command was run, by the witness. */
  ran(): number;
}

export interface SurfaceReply {
  /** An exit code, or the status of HTTP; null where a surface has neither. */
  readonly code: number | null;
  /** Everything that was said about it. */
  readonly words: string;
}

type Answer = Readonly<Record<string, unknown>>;
/** Opens the surface on the parked subject's home and gives a way to answer through it. */
type Surface = (
  parked: ParkedTurn,
  defer: (end: () => Promise<void>) => void,
) => Promise<Answering>;
type Answering = (answer: Answer) => Promise<SurfaceReply>;

const program = fileURLToPath(new URL("../../bin/reprise.cjs", import.meta.url));

const surfaces: Readonly<Record<string, Surface>> = {
  "the library (turn)": async ({ subject, turn }) =>
    thrown((answer) => subject.reprise.turns.answer({ turn, ...answer })),

  "the library (inbox)": async ({ subject, turn }) =>
    thrown((answer) => subject.reprise.inbox.answer({ item: turn, by: "ann", ...answer })),

  "the client (turn)": async (parked, defer) => {
    const served = await servedHome(parked, defer);
    const reprise = await served.connect();
    defer(() => reprise.close());
    return thrown((answer) => reprise.turns.answer({ turn: parked.turn, ...answer }));
  },

  "the client (inbox)": async (parked, defer) => {
    const served = await servedHome(parked, defer);
    const reprise = await served.connect();
    defer(() => reprise.close());
    return thrown((answer) => reprise.inbox.answer({ item: parked.turn, by: "ann", ...answer }));
  },

  "the command line (turn)": async ({ subject, turn }) => cli(subject, turn.slice(0, 8)),
  "the command line (key)": async ({ subject }) => cli(subject, key),

  "HTTP (turn)": (parked, defer) => http(parked, defer, `/v1/turns/${parked.turn}/answer`),
  "HTTP (inbox)": (parked, defer) => http(parked, defer, `/v1/inbox/${parked.turn}/answer`),
  "HTTP (tool-result)": (parked, defer) =>
    http(parked, defer, `/v1/turns/${parked.turn}/tool-result`, asToolResult),
  "HTTP (tool-result of a run)": (parked, defer) =>
    http(parked, defer, `/api/runs/${parked.turn}/tool-result`, asToolResult),

  async "an incoming webhook"(parked, defer) {
    const served = await servedHome(parked, defer);
    const at = Date.now();
    const { webhook, secret } = await addWebhook(served.store, {
      url: null,
      events: [],
      secret: null,
      at,
    });
    return async (answer) => {
      const body = JSON.stringify({ item: parked.turn, ...answer });
      const seconds = Math.floor(Date.now() / 1000);
      const response = await fetch(`${served.url}/v1/hooks/${webhook.id}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "reprise-timestamp": String(seconds),
          "reprise-signature": signatureOf(secret, seconds, body),
        },
        body,
      });
      return { code: response.status, words: await response.text() };
    };
  },

  async MCP({ subject, turn }, defer) {
    await subject.close();
    const client = new Client({ name: "test", version: "1" });
    const args = [program, "mcp", "--home", subject.home, "--role", "approver", "--by", "ann"];
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args,
        env: subject.env,
        cwd: subject.folder,
      }),
    );
    defer(() => client.close());
    return async (answer) => {
      const call = { name: "answer_inbox", arguments: { item: turn, ...answer } };
      const { isError, content } = await client.callTool(call);
      return { code: isError ? 2 : 0, words: JSON.stringify(content) };
    };
  },
};

async function servedHome(
  parked: ParkedTurn,
  defer: (end: () => Promise<void>) => void,
): Promise<Served> {
  const { subject } = parked;
  await subject.close();
  const served = await serve({ home: subject.home, cwd: subject.folder, env: subject.env });
  defer(() => served.close());
  return served;
}

async function http(
  parked: ParkedTurn,
  defer: (end: () => Promise<void>) => void,
  path: string,
  bodyOf: (answer: Answer) => Answer = (answer) => answer,
): Promise<Answering> {
  const served = await servedHome(parked, defer);
  return async (answer) => {
    const response = await fetch(`${served.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify(bodyOf(answer)),
    });
    return { code: response.status, words: await response.text() };
  };
}

function asToolResult({ text, ...rest }: Answer): Answer {
  return { ...rest, ...(text === undefined ? {} : { content: text }) };
}

async function cli(subject: Subject, what: string): Promise<Answering> {
  await subject.close();
  return async ({ text }) => {
    const words = text === undefined ? [] : [String(text)];
    const { code, stderr, result } = await subject.cli("answer", what, ...words).ended;
    return { code, words: `${stderr}${JSON.stringify(result)}` };
  };
}

function thrown(give: (answer: Answer) => Promise<unknown>): Answering {
  return (answer) =>
    give(answer).then(
      (result) => ({ code: 0, words: JSON.stringify(result) }),
      (error) => ({ code: error.exitCode, words: JSON.stringify(errorView(error)) }),
    );
}

const saidInText: readonly Answer[] = [
  { text: "No, do not run that." },
  { text: "deny" },
  { text: "allow" },
  { text: "What does it do?" },
  { text: "no" },
  {},
];

/** `park` makes the agent ask; it says how the witness sees that it was allowed. */
export function onlyAnAllowAllows(provider: string, park: () => Promise<ParkedTurn>): void {
  for (const [surface, open] of Object.entries(surfaces)) {
    // A command is a process for each text: all of them are tried on the scripted agent.
    const isSlow = surface.startsWith("the command line") && provider !== "scripted";
    const texts = isSlow ? [saidInText[0]!, {}] : saidInText;
    test(`S0 C25/${provider}: ${surface}: a text, or nothing, neither allows nor denies a permission`, async () => {
      const parked = await park();
      await using subject = parked.subject;
      const ends: (() => Promise<void>)[] = [];
      await using _ = {
        async [Symbol.asyncDispose]() {
          for (const end of ends.reverse()) await end();
        },
      };
      const calls = subject.witness.calls().length;
      const launches = subject.witness.launches().length;
      const answer = await open(parked, (end) => ends.push(end));
      for (const said of texts) {
        const { code, words } = await answer(said);
        expect([2, 400], `${JSON.stringify(said)}: ${words}`).toContain(code);
        // An empty body is not a valid result of a tool.
        if (!(surface.includes("tool-result") && said.text === undefined)) {
          const item = parked.turn.slice(0, 8);
          const both = surface.startsWith("the command line")
            ? [`reprise approve ${item}`, `reprise reject ${item}`]
            : ['choice: "allow"', 'choice: "deny"'];
          for (const way of both) expect(words.replaceAll("\\", "")).toContain(way);
        }
      }
      expect(parked.ran()).toBe(0);
      expect(subject.witness.calls()).toHaveLength(calls);
      expect(subject.witness.launches()).toHaveLength(launches);
      expect(subject.turns().at(-1)).toMatchObject({ id: parked.turn, status: "waiting" });
    });
  }

  test(`S0 C25/${provider}: approve allows it once, and its comment reaches the agent`, async () => {
    const { subject: parked, turn, ran } = await park();
    await using subject = parked;
    await subject.close();
    const comment = "But only this once.";
    const approved = await subject.cli("approve", turn, "--comment", comment).ended;
    expect(approved.code).toBe(0);
    expect(ran()).toBe(1);
    expect(subject.witness.wire().at(-1)).toContain(comment);
    const again = await subject.cli("answer", turn, "--allow").ended;
    expect(again.code).toBe(0);
    const denied = await subject.cli("reject", turn).ended;
    expect(denied).toMatchObject({ code: 1, stderr: expect.stringContaining("already") });
    expect(ran()).toBe(1);
  });

  const denials: readonly (readonly [string, readonly string[]])[] = [
    ["reject --comment", ["reject", "--comment", "Not on a Friday."]],
    ["answer --deny REASON", ["answer", "--deny", "Not on a Friday."]],
    ["answer REASON --deny", ["answer", "Not on a Friday.", "--deny"]],
  ];
  for (const [name, [command = "", ...words]] of denials)
    test(`S0 C25/${provider}: ${name}: it does not run, and the agent gets the reason`, async () => {
      const { subject: parked, turn, ran } = await park();
      await using subject = parked;
      await subject.close();
      const { code, stderr } = await subject.cli(command, turn, ...words).ended;
      expect([code, stderr]).toEqual([0, stderr]);
      expect(ran()).toBe(0);
      expect(subject.witness.wire().at(-1)).toContain("Not on a Friday.");
      expect(subject.turns().at(-1)).toMatchObject({ status: "done" });
    });

  test(`S0 C25/${provider}: a choice decides; both at once, or a text with an allow, change nothing`, async () => {
    const { subject: parked, turn, ran } = await park();
    await using subject = parked;
    const { turns, inbox } = subject.reprise;
    for (const words of [
      { choice: "allow", deny: "no" },
      { choice: "allow", text: "No, wait." },
      { choice: "yes" },
    ])
      await expect(turns.answer({ turn, ...words })).rejects.toMatchObject({ exitCode: 2 });
    const values = { sure: true };
    await expect(
      inbox.answer({ item: turn, by: "ann", choice: "allow", values }),
    ).rejects.toMatchObject({ code: "no-form", exitCode: 2 });
    expect(ran()).toBe(0);
    const denied = await turns.answer({ turn, choice: "deny", text: "Not on a Friday." });
    expect(denied.turn.status).toBe("done");
    expect(ran()).toBe(0);
    expect(subject.witness.wire().at(-1)).toContain("Not on a Friday.");
  });
}

/** For every agent, including those that never ask. */
export function nothingAsked(provider: string, start: () => Promise<Subject>): void {
  test(`S0 C25/${provider}: a turn that asked for nothing can be neither allowed nor denied`, async () => {
    await using subject = await start();
    await subject.begin();
    const launches = subject.witness.launches().length;
    const calls = subject.witness.calls().length;
    for (const words of [{ choice: "allow" }, { deny: "no" }, { text: "yes" }, {}])
      await expect(subject.reprise.turns.answer({ turn: key, ...words })).rejects.toMatchObject({
        code: "not-waiting",
        exitCode: 1,
      });
    expect(subject.witness.launches()).toHaveLength(launches);
    expect(subject.witness.calls()).toHaveLength(calls);
  });
}
