/** C14 for every provider: a node's mode alone decides how its session begins. */

import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Database } from "./database.ts";
import { testWithHistory } from "./lacks.ts";
import { recall, remember, type StartSubject, type Subject, secret, witnessed } from "./subject.ts";
import { asked, runner, runWorkflow, workflow } from "./workflow.ts";

const own = "agent:anna";

/** An agent with a folder and a conversation of its own; returns its provider session. */
export async function withAnna(subject: Subject, sessions?: "fresh" | "resume"): Promise<string> {
  const folder = join(subject.root, "annas");
  mkdirSync(folder);
  writeFileSync(join(folder, "memory.md"), "What Anna knows.\n");
  mkdirSync(join(folder, ".claude", "skills"), { recursive: true });
  await subject.reprise.agents.create({
    name: "anna",
    provider: subject.provider,
    folder,
    settings: subject.agentSettings(),
    ...(sessions && { sessions }),
  });
  return subject.begin({ key: own, agent: "anna" });
}

const sha256 = (bytes: string | Buffer) => createHash("sha256").update(bytes).digest("hex");

/** Everything of the agent: its folders, its provider session, and its rows, each by its digest. */
function stateOf(subject: Subject, session: string): Record<string, string> {
  const folders = [join(subject.root, "annas"), join(subject.home, "agents", "anna")];
  const files = folders.flatMap((folder) =>
    globSync("**/*", { cwd: folder }).map((name) => join(folder, name)),
  );
  const digests = [...files, subject.sessionFile(session)]
    .filter((path) => statSync(path).isFile())
    .map((path) => [path, sha256(readFileSync(path))]);
  using database = new Database(subject);
  const rows = {
    agent: "SELECT * FROM agent WHERE name = 'anna'",
    session: `SELECT * FROM session WHERE key = '${own}'`,
    turn: `SELECT * FROM turn WHERE key = '${own}' ORDER BY seq`,
    pin: `SELECT * FROM pin WHERE key = '${own}'`,
    message: `SELECT * FROM message WHERE conversation = '${own}' ORDER BY seq`,
    checkpoint: `SELECT * FROM checkpoint WHERE key = '${own}'`,
    event: `SELECT * FROM event WHERE stream IN ('agent:anna', 'session:${own}') ORDER BY seq`,
  };
  const kept = Object.entries(rows).map(([name, sql]) => {
    const found = database.rows(sql);
    expect(found.length, name).toBeGreaterThan(0);
    return [name, sha256(JSON.stringify(found))];
  });
  return Object.fromEntries([...digests, ...kept]);
}

const inherits = (mode: string) => ({ agentId: "anna", mode });

/** A title, the node's fields, the settings of the whole file, and the mode and outcome that follow. */
type Legacy = readonly [string, Record<string, unknown>, Record<string, unknown>, string, string];

export function modes(provider: string, start: StartSubject): void {
  test(`C14/${provider}: a node without a mode is ephemeral: blank, in the run's folder, with no introduction`, async () => {
    await using subject = await start();
    for (const mode of [{}, { mode: "ephemeral" }]) {
      const source = workflow({ coder: { data: { ...runner(subject), ...mode, prompt: recall } } });
      for (let time = 0; time < 2; time += 1) {
        const seen = await runWorkflow(subject, source);
        expect(seen.run.status).toBe("done");
        expect(witnessed(seen, null)).toBe("blank");
        expect(seen.calls).toMatchObject([{ prompt: recall, earlier: 0 }]);
        expect(seen.turns.coder?.decision).toMatchObject({
          outcome: "blank",
          surface: "node",
          mode: "ephemeral",
          startupPrompt: "skip_intro",
          runFolder: "run",
        });
      }
    }
    expect(await subject.reprise.agents.list()).toHaveLength(1);
  });

  testWithHistory(
    provider,
    `W14 C14/${provider}: inherit_fresh has the agent's profile and none of its past, works in the run's folder, and leaves the agent byte for byte`,
    async () => {
      await using subject = await start();
      const session = await withAnna(subject);
      const before = stateOf(subject, session);
      const data = { ...inherits("inherit_fresh"), prompt: recall };
      const seen = await runWorkflow(subject, workflow({ coder: { data } }));
      expect(witnessed(seen, session)).toBe("blank");
      expect(asked(seen.calls)).toEqual([recall]);
      const annas = join(subject.root, "annas");
      for (const path of [annas, join(annas, "memory.md"), join(annas, ".claude/skills")])
        expect(seen.calls[0]!.prompt).toContain(`: ${path}\n`);
      // The agent can write to folders that are given this way.
      expect(seen.launches[0]!.argv.join(" ")).not.toMatch(/--add-dir|--include-directories/);
      expect(seen.turns.coder).toMatchObject({
        session: { key: `wf:${seen.run.id}:agent:coder`, provider },
        decision: { mode: "inherit_fresh", startupPrompt: "skip_intro", runFolder: "run" },
      });
      using database = new Database(subject);
      const [turn] = database.rows<{ folder: string }>(
        "SELECT json_extract(request, '$.folder') AS folder FROM turn WHERE id = :id",
        { id: seen.turns.coder!.turn.id },
      );
      expect(turn?.folder).toBe(subject.folder);
      expect(stateOf(subject, session)).toEqual(before);

      const { turn: after } = await subject.send(recall, { key: own, agent: "anna" });
      expect(after).toMatchObject({ decision: { outcome: "resume" }, output: secret });
    },
  );

  test(`C14/${provider}: inherit_resume continues the agent's own session, in its folder`, async () => {
    await using subject = await start();
    const session = await withAnna(subject);
    const data = { ...inherits("inherit_resume"), prompt: recall };
    const seen = await runWorkflow(subject, workflow({ coder: { data } }));
    expect(witnessed(seen, session)).toBe("resume");
    expect(seen.run.executions).toMatchObject([{ session: own, outcome: "resume" }]);
    expect(seen.turns.coder).toMatchObject({
      session: { key: own, agent: "anna" },
      decision: { mode: "inherit_resume", startupPrompt: "skip_intro", runFolder: "source" },
      output: secret,
    });
  });

  test(`C14/${provider}: inherit_resume of an agent that has nothing to continue is refused`, async () => {
    await using subject = await start();
    const data = { agentId: "coder", mode: "inherit_resume", prompt: recall };
    const seen = await runWorkflow(subject, workflow({ node: { data } }));
    expect(witnessed(seen, null)).toBe("refuse");
    expect(seen.run).toMatchObject({ status: "failed", executions: [{ status: "failed" }] });
    expect(seen.turns.node?.error?.code).toBe("nothing-to-continue");
  });

  for (const regularAgentSessions of ["resume", "fresh"] as const)
    test(`C14/${provider}: regularAgentSessions ${regularAgentSessions} does not reach nodes, nor does the agent's own setting`, async () => {
      await using subject = await start({ settings: { regularAgentSessions } });
      const session = await withAnna(subject, regularAgentSessions);
      const fresh = { data: { ...inherits("inherit_fresh"), prompt: recall } };
      const plain = { data: { ...runner(subject), prompt: recall } };
      for (const coder of [fresh, plain])
        expect(witnessed(await runWorkflow(subject, workflow({ coder })), session)).toBe("blank");
      const coder = { data: { ...inherits("inherit_resume"), prompt: recall } };
      expect(witnessed(await runWorkflow(subject, workflow({ coder })), session)).toBe("resume");
    });

  const legacy: readonly Legacy[] = [
    ["temporary is ephemeral", { session_type: "temporary" }, {}, "ephemeral", "blank"],
    ["persistent is inherit_fresh", { session_type: "persistent" }, {}, "inherit_fresh", "blank"],
    [
      "persistent is inherit_resume where the file says so",
      { session_type: "persistent" },
      { legacyPersistentResumes: true },
      "inherit_resume",
      "resume",
    ],
    [
      "an explicit mode comes first",
      { session_type: "persistent", mode: "inherit_fresh" },
      { legacyPersistentResumes: true },
      "inherit_fresh",
      "blank",
    ],
  ];
  for (const [what, fields, more, mode, outcome] of legacy)
    test(`C14/${provider}: session_type of earlier files: ${what}`, async () => {
      await using subject = await start();
      const session = await withAnna(subject);
      const who = mode === "ephemeral" ? runner(subject) : { agent_id: "anna" };
      const data = { ...who, ...fields, prompt: recall };
      const seen = await runWorkflow(subject, workflow({ coder: { data } }, more));
      expect(witnessed(seen, session)).toBe(outcome);
      expect(seen.turns.coder?.decision).toMatchObject({ mode, outcome });
    });

  test(`C14/${provider}: a class is a profile without a past: each run starts a new session`, async () => {
    await using subject = await start();
    await subject.reprise.agents.createClass({
      name: "critic",
      provider,
      settings: { ...subject.agentSettings(), instructions: "Be brief." },
    });
    const of = { agentClass: "critic" };
    const first = await runWorkflow(
      subject,
      workflow({ coder: { data: { ...of, prompt: remember } } }),
    );
    expect(first.calls[0]?.prompt).toMatch(/Be brief\..*remember/s);
    const second = await runWorkflow(
      subject,
      workflow({ coder: { data: { ...of, prompt: recall } } }),
    );
    expect(witnessed(second, first.calls[0]!.session)).toBe("blank");
    const agents = [first, second].map(({ turns }) => turns.coder?.session.agent);
    expect(agents[0]).toBe(agents[1]);
    expect((await subject.reprise.agents.list()).map(({ name }) => name)).toEqual(["coder"]);

    const unknown = workflow({ coder: { data: { agentClass: "critc", prompt: recall } } });
    await expect(subject.reprise.runs.start({ source: unknown })).rejects.toMatchObject({
      code: "no-class",
      exitCode: 4,
      hint: 'Did you mean "critic"?',
    });
    expect(await subject.reprise.runs.list()).toHaveLength(2);
  });
}
