import {
  chmodSync,
  chownSync,
  lchownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { checkHome } from "./home.ts";
import { openReprise } from "./open-reprise.ts";

const asRoot = process.getuid?.() === 0;
let folder: string;
let home: string;

beforeEach(() => {
  folder = temporaryFolder("check");
  home = join(folder, "home");
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("V15: a home that is open to others is closed, and that is said once", async () => {
  mkdirSync(home);
  chmodSync(home, 0o777);
  writeFileSync(join(home, "token"), "x".repeat(40));
  chmodSync(join(home, "token"), 0o644);
  expect(checkHome(home)).toBe(
    `The home ${home} was open to other users (mode 0777); their permissions were removed.`,
  );
  expect(statSync(home).mode & 0o777).toBe(0o700);
  expect(statSync(join(home, "token")).mode & 0o777).toBe(0o600);
  expect(checkHome(home)).toBe(null);
});

test.each(["token", "secret", "host", "server.log", "reprise.db", "server.lock"])(
  "V15: a home whose %s is a link is not used",
  async (name) => {
    mkdirSync(home, { mode: 0o700 });
    const aim = join(folder, "aim");
    writeFileSync(aim, "as it was");
    symlinkSync(aim, join(home, name));
    await expect(openReprise({ home, cwd: folder })).rejects.toMatchObject({
      code: "home-link",
      exitCode: 5,
    });
    expect(readFileSync(aim, "utf8")).toBe("as it was");
  },
);

test.runIf(asRoot)("V15: a home or a file of another user is not used", async () => {
  mkdirSync(home, { mode: 0o700 });
  chownSync(home, 1234, 1234);
  await expect(openReprise({ home, cwd: folder })).rejects.toMatchObject({
    code: "home-foreign",
    exitCode: 5,
    message: `${home} belongs to user 1234, but Reprise runs as user 0.`,
  });
  chownSync(home, 0, 0);
  writeFileSync(join(home, "token"), "x".repeat(40), { mode: 0o600 });
  lchownSync(join(home, "token"), 1234, 1234);
  await expect(openReprise({ home, cwd: folder })).rejects.toMatchObject({ code: "home-foreign" });
});

test("a home that is not there yet, or is a link to one's own folder, is used", async () => {
  expect(checkHome(home)).toBe(null);
  mkdirSync(home, { mode: 0o700 });
  symlinkSync(home, join(folder, "link"));
  const reprise = await openReprise({ home: join(folder, "link"), cwd: folder });
  expect(await reprise.agents.list()).toEqual([]);
  await reprise.close();
});
