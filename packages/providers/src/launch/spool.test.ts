import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import {
  readExit,
  readIdentity,
  readStderr,
  readTicket,
  spoolFolder,
  spoolFolders,
  takeTicket,
  turnFolder,
  writeSpool,
} from "./spool.ts";

let root: string;
let folder: string;
const spec = { turn: "t1", attempt: 1, prompt: "do it", argv: ["agent", "--key", "***"] };

beforeEach(() => {
  root = temporaryFolder("spool");
  folder = spoolFolder(root, spec);
});
afterEach(() => rmSync(root, { recursive: true }));

describe("spool", () => {
  it("is written whole, for its owner alone", () => {
    writeSpool(folder, spec);
    expect(readdirSync(turnFolder(root, "t1"))).toEqual(["1"]);
    expect(readdirSync(folder).sort()).toEqual(["argv", "prompt", "stderr", "stdout"]);
    expect(JSON.parse(readFileSync(join(folder, "argv"), "utf8"))).toEqual(spec.argv);
    expect(readFileSync(join(folder, "prompt"), "utf8")).toBe("do it");
    for (const name of readdirSync(folder)) {
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    }
    for (const path of [folder, turnFolder(root, "t1"), join(root, "turns")]) {
      expect(statSync(path).mode & 0o777).toBe(0o700);
    }
  });

  it("is left as it is when it exists", () => {
    writeSpool(folder, spec);
    writeSpool(folder, { ...spec, prompt: "something else" });
    expect(readFileSync(join(folder, "prompt"), "utf8")).toBe("do it");
    expect(readdirSync(turnFolder(root, "t1"))).toEqual(["1"]);
  });

  it("is one of its turn's spools", () => {
    expect(spoolFolders(root, "t1")).toEqual([]);
    writeSpool(folder, spec);
    const second = spoolFolder(root, { turn: "t1", attempt: 2 });
    writeSpool(second, { ...spec, attempt: 2 });
    expect(spoolFolders(root, "t1").sort()).toEqual([folder, second]);
  });

  it("has one ticket, which shows who took it", () => {
    writeSpool(folder, spec);
    expect(readTicket(folder)).toBeNull();
    expect(takeTicket(folder)).toBe(true);
    expect(readTicket(folder)).toBe("withdrawn");
    expect(takeTicket(folder)).toBe(false);
    rmSync(join(folder, "ticket"));
    writeFileSync(join(folder, "ticket"), "");
    expect(readTicket(folder)).toBe("shim");
    expect(takeTicket(folder)).toBe(false);
  });

  it("counts a record only when its last newline is there", () => {
    writeSpool(folder, spec);
    const records = { exit: "137\n", pid: "12\n345\nboot\nhost\n" };
    for (const [name, text] of Object.entries(records)) {
      for (let length = 0; length <= text.length; length++) {
        writeFileSync(join(folder, name), text);
        truncateSync(join(folder, name), length);
        const whole = length === text.length;
        if (name === "exit") expect(readExit(folder)).toBe(whole ? 137 : null);
        else {
          const identity = { pid: 12, start: "345", boot: "boot", host: "host" };
          expect(readIdentity(folder, "pid")).toEqual(whole ? identity : null);
        }
      }
    }
  });

  it("gives the end of standard error, cut between characters", () => {
    writeSpool(folder, spec);
    expect(readStderr(folder)).toBe("");
    writeFileSync(join(folder, "stderr"), `${"€".repeat(10_000)}!`);
    expect(readStderr(folder)).toBe(`${"€".repeat(5461)}!`);
    writeFileSync(join(folder, "stderr"), Buffer.from([0x80, 0x61]));
    expect(readStderr(folder)).toBe("\ufffda");
  });
});
