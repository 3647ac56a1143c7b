/** C16 for every provider: a key resumes in a node as it does anywhere else. */

import { expect, test } from "vitest";
import { Database } from "./database.ts";
import { testWithHistory } from "./lacks.ts";
import { key, recall, remember, type StartSubject, type Subject, secret } from "./subject.ts";
import { asked, runner, runWorkflow, steps, watch } from "./workflow.ts";

interface Row {
  readonly agent: string;
  readonly settings: string | null;
}

function turnRow(subject: Subject, turn: string): Row {
  using database = new Database(subject);
  const [row] = database.rows<Row>(
    "SELECT json_extract(request, '$.agent') AS agent, json_extract(request, '$.settings') AS settings FROM turn WHERE id = :id",
    { id: turn },
  );
  return row!;
}

const brief = (subject: Subject) => ({
  agent: subject.provider,
  settings: { ...subject.agentSettings(), instructions: "Be brief." },
});

export function nodeKeys(provider: string, start: StartSubject): void {
  test(`W7 C16/${provider}: a key that a named agent made is resumed in a node by that agent`, async () => {
    await using subject = await start();
    const session = await subject.begin({ key });
    const before = await subject.reprise.agents.list();
    const step = { ...brief(subject), prompt: recall, inputs: { sessionId: "inputs.key" } };
    const source = steps({ work: step }, { inputs: { key: "string" } });
    const { result, launches } = await watch(subject, () =>
      subject.reprise.runs.start({ source, inputs: { key } }),
    );
    expect(launches.map(({ resumed }) => resumed)).toEqual([session]);
    const work = result.executions.find(({ node }) => node === "work")!;
    expect(work).toMatchObject({ session: key, outcome: "resume", outputs: { output: secret } });
    const row = turnRow(subject, work.turn!);
    expect(row.agent).toBe("coder");
    expect(row.settings).toContain("Be brief.");

    // The node's settings applied only to its turn.
    expect(await subject.reprise.agents.list()).toEqual(before);
    const next = await subject.send(recall, { key });
    expect(next.turn).toMatchObject({ decision: { outcome: "resume" }, output: secret });
    expect(next.calls.at(-1)?.prompt).not.toContain("Be brief.");
  });

  test(`W7 C16/${provider}: nodes with different settings continue one session, and neither takes over the other's`, async () => {
    await using subject = await start();
    const plain = { ...runner(subject), session: "s" };
    const source = steps({
      first: { ...brief(subject), session: "s", prompt: remember },
      second: { ...plain, needs: "first", prompt: recall },
      third: { ...brief(subject), session: "s", needs: "second", prompt: recall },
    });
    const { run, launches, turns, calls } = await runWorkflow(subject, source);
    expect(run.executions.map(({ outcome }) => outcome)).toEqual(["blank", "resume", "resume"]);
    expect(launches.slice(1).map(({ resumed }) => resumed)).toEqual([
      ...[calls[0]!.session, calls[0]!.session],
    ]);
    expect(asked(calls)).toEqual([remember, recall, recall]);
    expect(new Set(Object.values(turns).map(({ session }) => session.agent)).size).toBe(1);
    const rows = run.executions.map(({ turn }) => turnRow(subject, turn!));
    expect(new Set(rows.map(({ agent }) => agent)).size).toBe(1);
    expect(JSON.parse(rows[1]!.settings!)).toEqual({ instructions: null });
    expect(run.warnings.map(({ code }) => code)).not.toContain("another-agent");
  });

  test(`W7 C16/${provider}: a node that names a class is another agent: it reseeds, and validate says so`, async () => {
    await using subject = await start();
    const settings = subject.agentSettings();
    await subject.reprise.agents.createClass({ name: "critic", provider, settings });
    const source = steps({
      first: { ...runner(subject), session: "s", prompt: remember },
      second: { agentClass: "critic", session: "s", needs: "first", prompt: recall },
      third: {
        ...{ agentClass: "critic", settings: { instructions: "Be brief." } },
        ...{ session: "s", needs: "second", prompt: recall },
      },
    });
    const { run } = await runWorkflow(subject, source);
    expect(run.executions.map(({ outcome }) => outcome)).toEqual(["blank", "reseed", "resume"]);
    const warned = run.warnings.filter(({ code }) => code === "another-agent");
    expect(warned.map(({ message }) => /"(second|third)"/.exec(message)?.[1])).toEqual([
      "second",
      "third",
    ]);
  });

  testWithHistory(
    provider,
    `W7 C16/${provider}: an id of the provider itself is not a key, unless the node adopts it`,
    async () => {
      await using subject = await start();
      const session = await subject.begin({ key });
      const node = { ...runner(subject), prompt: recall, inputs: { sessionId: "inputs.id" } };
      const given = (more: object) => ({
        source: steps({ work: { ...node, ...more } }, { inputs: { id: "string" } }),
        inputs: { id: session },
      });
      const refused = await watch(subject, () => subject.reprise.runs.start(given({})));
      expect(refused.result).toMatchObject({
        status: "failed",
        error: { code: "foreign-session" },
      });
      expect(refused.launches).toEqual([]);
      // The provider's own files stay, and belong to no key then.
      await subject.reprise.sessions.purge(key);
      const adopted = await watch(subject, () =>
        subject.reprise.runs.start(given({ adopt: true })),
      );
      expect(adopted.result).toMatchObject({ status: "done" });
      expect(adopted.launches.map(({ resumed }) => resumed)).toEqual([session]);
    },
  );
}
