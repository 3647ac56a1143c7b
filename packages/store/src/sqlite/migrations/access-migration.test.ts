import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { scratchFolder } from "../../suite/sqlite-scratch.ts";
import { openSqliteStore } from "../open.ts";

const schema11 = fileURLToPath(
  new URL("../../../fixtures/schema-11/database.sql", import.meta.url),
);

const agents = [
  ["codex", {}, "read"],
  ["codex", { sandbox: "read-only" }, "read"],
  ["codex", { sandbox: "workspace-write" }, "edit"],
  ["codex", { sandbox: "danger-full-access" }, "full"],
  ["codex", { sandbox: "bypass" }, "full"],
  ["claude", {}, "read"],
  ["claude", { permissionMode: "plan" }, "read"],
  ["claude", { permissionMode: "acceptEdits" }, "edit"],
  ["claude", { permissions: "ask" }, "edit"],
  ["claude", { permissionMode: "bypassPermissions" }, "full"],
  // The rule itself still gives more than the word says.
  ["claude", { allowedTools: "Bash" }, "read"],
  ["scripted", {}, "edit"],
] as const;

test("S3: agents and classes from before keep what they had, written down", async () => {
  const path = join(scratchFolder(), "reprise.db");
  const database = new DatabaseSync(path);
  database.exec(readFileSync(schema11, "utf8"));
  for (const [index, [provider, settings]] of agents.entries()) {
    const values = [`old-${index}`, provider, JSON.stringify(settings)];
    database
      .prepare(
        `INSERT INTO agent (name, kind, provider, sessions, settings, hidden, created_at)
         VALUES (?, 'interactive', ?, 'default', ?, 0, 1)`,
      )
      .run(...values);
    database
      .prepare(
        `INSERT INTO agent_class (name, kind, provider, settings, created_at)
         VALUES (?, 'interactive', ?, ?, 1)`,
      )
      .run(...values);
  }
  database.close();

  const store = await openSqliteStore(path);
  onTestFinished(() => store.close());
  for (const [index, [, settings, access]] of agents.entries()) {
    const had = { settings, access, allowedCommands: [], onDenied: "note" };
    expect(await store.readAgent(`old-${index}`)).toMatchObject(had);
    expect(await store.readClass(`old-${index}`)).toMatchObject(had);
  }
});
