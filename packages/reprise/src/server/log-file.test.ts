import { readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../../../../test/temporary-folder.ts";
import { LogFile } from "./log-file.ts";

let folder: string;
beforeEach(() => {
  folder = temporaryFolder("log");
});
afterEach(() => rmSync(folder, { recursive: true }));

const read = (name: string) => readFileSync(join(folder, name), "utf8");

test("V19: a large log continues in a new file, and three older ones are kept", () => {
  const log = new LogFile(join(folder, "server.log"), 20);
  for (let number = 1; number <= 12; number += 1) log.write(`line ${number}\n`);
  log.close();
  expect(readdirSync(folder).sort()).toEqual([
    "server.log",
    "server.log.1",
    "server.log.2",
    "server.log.3",
  ]);
  expect(read("server.log")).toBe("line 11\nline 12\n");
  expect(read("server.log.1")).toBe("line 9\nline 10\n");
  expect(statSync(join(folder, "server.log")).mode & 0o777).toBe(0o600);
});

test("appends to an existing log, and starts a new file after it was moved away", () => {
  const file = join(folder, "server.log");
  for (const line of ["one\n", "two\n"]) {
    const log = new LogFile(file);
    log.write(line);
    log.close();
  }
  const log = new LogFile(file);
  renameSync(file, join(folder, "moved"));
  log.reopen();
  log.write("three\n");
  log.close();
  expect([read("moved"), read("server.log")]).toEqual(["one\ntwo\n", "three\n"]);
});
