import { realpathSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { openHome, writeStoreRecord } from "../home.ts";
import { hiddenPaths } from "./access.ts";

test("the passfile is hidden from agents if it may have the password of the home's database", async () => {
  const folder = realpathSync(temporaryFolder("hidden"));
  const home = await openHome(join(folder, "own"));
  const env = { HOME: folder };
  const paths = () =>
    hiddenPaths({ home, env }, { name: "coder" }, { folder: join(folder, "work"), origin: null });
  const passFile = join(folder, ".pgpass");
  expect(await paths()).not.toContain(passFile);

  writeStoreRecord(home.path, "postgres://reprise@127.0.0.1:1/none");
  expect(await paths()).toContain(passFile);
  env.HOME = join(folder, "elsewhere");
  expect(await paths()).not.toContain(passFile);
});
