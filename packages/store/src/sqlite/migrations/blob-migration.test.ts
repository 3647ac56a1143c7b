import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { scratchFolder } from "../../suite/sqlite-scratch.ts";
import { openSqliteStore } from "../open.ts";

const firstSchema = fileURLToPath(
  new URL("../../../fixtures/schema-1/database.sql", import.meta.url),
);

interface OldPart {
  readonly key: string;
  readonly agent: string;
  readonly handle: string;
  readonly name: string;
  readonly start: number;
  readonly bytes: Uint8Array;
  readonly sha256: string;
  readonly size: number;
  readonly whole: string;
}

test("checkpoints of the first schema keep every byte, and their bytes are blobs", async () => {
  const path = join(scratchFolder(), "reprise.db");
  const database = new DatabaseSync(path);
  database.exec(readFileSync(firstSchema, "utf8"));
  const before = database
    .prepare(
      `SELECT key, agent, handle, name, start, bytes, sha256, size, whole FROM checkpoint_part
       ORDER BY key, agent, handle, name, number`,
    )
    .all() as unknown as OldPart[];
  database.close();
  expect(before.length).toBeGreaterThan(5);

  const store = await openSqliteStore(path);
  onTestFinished(() => store.close());
  const places = Map.groupBy(before, ({ key, agent, handle }) =>
    JSON.stringify({ key, agent, handle }),
  );
  for (const [place, old] of places) {
    const of = JSON.parse(place) as Pick<OldPart, "key" | "agent" | "handle">;
    const { heads, parts } = await store.readCheckpoints(of);
    expect(parts.map((part) => ({ ...of, ...part }))).toEqual(old.map((part) => ({ ...part })));
    expect(parts.every(({ bytes, sha256 }) => hash("sha256", bytes, "hex") === sha256)).toBe(true);
    expect(heads[0]).toMatchObject({ standing: null, files: [{ snapshot: 0 }] });
  }
  expect(await store.check({ full: true })).toMatchObject({ sound: true });
});
