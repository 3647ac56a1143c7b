/**
 * Writes `packages/store/fixtures/schema-N/`: a home as the newest schema N leaves it, its database as
 * SQL and its other files as they are. Run it before a migration is appended; what is there stays.
 */

import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openReprise } from "../packages/engine/src/open-reprise.ts";
import { machine } from "../packages/providers/src/launch/process.ts";
import { latestSchema } from "../packages/store/src/sqlite/migrations/migrations.ts";
import { root } from "./files.ts";

const target = path.join(root, "packages/store/fixtures", `schema-${latestSchema}`);

/** A function before a gate, and an agent after it that continues an earlier session. */
const workflow = `name: Gated
inputs: { number: number }
outputs: { sum: add.sum, told: tell.output }
steps:
  first: { agent: scripted, session: talk, prompt: "remember KIWI-5" }
  add:
    needs: first
    inputs: { number: inputs.number }
    function: "return { sum: inputs.number + 1 };"
    returns: { sum: number }
  approve: { needs: add, gate: "Go on?" }
  tell: { needs: approve, agent: scripted, session: talk, prompt: "what did I ask you to remember?" }
`;

/** A gate whose answer is read by an output and by a step that does not depend on its approval. */
const guarded = `name: Guarded
outputs: { decision: sign-off.choice }
steps:
  sign-off: { gate: "Push it?" }
  push: { needs: sign-off, shell: "echo pushed" }
  note: { shell: "echo 'said: {{ sign-off.comment }}'" }
`;

async function makeFixture(): Promise<void> {
  if (existsSync(target))
    throw new Error(`${target} is there already, and is never written again.`);
  const scratch = mkdtempSync(path.join(realpathSync(tmpdir()), "reprise-fixture-"));
  try {
    const home = path.join(scratch, "home");
    const folder = path.join(scratch, "folder");
    mkdirSync(folder);
    await live(home, folder, async (database) => {
      const agents = path.join(home, "agents");
      mkdirSync(target, { recursive: true });
      writeFileSync(
        path.join(target, "database.sql"),
        withoutMachine(dump(database), { home, folder }),
      );
      cpSync(path.join(home, "secret"), path.join(target, "home", "secret"));
      cpSync(agents, path.join(target, "home", "agents"), {
        recursive: true,
        // The ledger is the witness of a test; every test begins with its own.
        filter: (file) => !file.endsWith("ledger.jsonl"),
      });
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/**
 * Sessions in all states that a home can be found in, and at last one with a turn at work and another
 * queued behind it: `ready` is called then.
 */
async function live(
  home: string,
  folder: string,
  ready: (database: DatabaseSync) => Promise<void>,
): Promise<void> {
  const script = path.join(folder, "script.json");
  const go = path.join(folder, "go");
  const rules = [
    { when: { prompt: "break" }, do: [{ tool: "make" }, { fail: { status: 503 } }] },
    { when: { prompt: "poison", resume: true }, do: [{ fail: { kind: "poisoned" } }] },
    { when: { prompt: "choose" }, do: [{ ask: "Which database?" }] },
    { when: { prompt: "long work" }, do: ["model", { touch: "reached" }, { "wait-for": go }] },
  ];
  writeFileSync(script, JSON.stringify({ rules }));
  const reprise = await openReprise({ home, cwd: folder, env: { PATH: process.env.PATH ?? "" } });
  const send = (key: string, prompt: string, more: object = {}) =>
    reprise.sessions.send({ key, agent: "coder", prompt, ...more });
  try {
    await reprise.agents.create({ name: "coder", provider: "scripted", settings: { script } });
    await reprise.agents.create({
      name: "reviewer",
      provider: "scripted",
      kind: "background",
      sessions: "resume",
      settings: { instructions: "Be brief." },
    });
    await send("resumed", "remember APPLE-739");
    await send("resumed", "echo on", { model: "large", channel: "mail" });
    await send("handed-over", "remember PEAR-12");
    await send("handed-over", "echo looked at it", { agent: "reviewer" });
    await send("reseeded", "remember PLUM-3");
    await send("reseeded", "please poison it");
    await send("cut-off", "remember FIG-8");
    await send("cut-off", "please break it");
    await send("purged", "echo gone");
    await reprise.sessions.purge("purged");
    await send("answered", "choose a database");
    await reprise.turns.answer({ turn: "answered", text: "SQLite", by: "ann" });
    await send("asks", "choose a database");

    await reprise.runs.start({ source: workflow, id: "ended", inputs: { number: 1 } });
    const [item] = await reprise.inbox.list({ run: "ended" });
    await reprise.inbox.answer({ item: item!.id, choice: "approve", by: "ann" });
    await reprise.runs.start({ source: workflow, id: "waiting", inputs: { number: 41 } });
    await reprise.runs.start({ source: guarded, id: "guarded" });

    const working = send("at-work", "do some long work");
    while (!existsSync(path.join(folder, "reached")))
      await new Promise((resolve) => setTimeout(resolve, 20));
    await send("at-work", "remember LIME-4", { busy: "queue" });
    using database = new DatabaseSync(path.join(home, "reprise.db"), { readOnly: true });
    await ready(database);
    writeFileSync(go, "");
    await working;
  } finally {
    await reprise.close();
  }
}

/** The whole database as statements that make it again. */
function dump(database: DatabaseSync): string {
  const all = <Row>(sql: string) => database.prepare(sql).all() as Row[];
  const made = all<{ type: string; name: string; sql: string }>(
    "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid",
  );
  const tables = made.filter(({ type }) => type === "table");
  return [
    `PRAGMA user_version = ${latestSchema};`,
    ...made.map(({ sql }) => `${sql};`),
    ...tables.flatMap(({ name }) => {
      const columns = all<{ name: string }>(`PRAGMA table_info(${name})`);
      const values = columns.map((column) => `quote(${column.name})`).join(` || ', ' || `);
      return all<{ line: string }>(`SELECT ${values} AS line FROM ${name} ORDER BY rowid`).map(
        ({ line }) => `INSERT INTO ${name} VALUES (${line});`,
      );
    }),
    "",
  ].join("\n");
}

/** Values that a test replaces are in braces: `{home}`, `{folder}`, `{host}`, `{boot}`. */
function withoutMachine(text: string, { home, folder }: { home: string; folder: string }): string {
  const { host, boot } = machine();
  return text
    .replaceAll(home, "{home}")
    .replaceAll(folder, "{folder}")
    .replaceAll(`"host":"${host}"`, '"host":"{host}"')
    .replaceAll(`"boot":"${boot}"`, '"boot":"{boot}"')
    .replaceAll(`"${process.execPath}"`, '"node"')
    .replaceAll(`"${root}/`, '"/opt/reprise/');
}

if (import.meta.main) await makeFixture();
