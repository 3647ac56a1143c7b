/** The address of a home's database, as it is stored. */

import { readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { readStoreRecord, storeRecordIn, writeStoreRecord } from "./home.ts";
import { parseStoreAddress } from "./store-address.ts";

test("a record has the address without its password, and only its owner can read it", () => {
  const home = temporaryFolder("store-record");
  expect(readStoreRecord(home)).toBeNull();
  writeStoreRecord(
    home,
    "postgres://ann:hunter2-hunter2@db:5432/team?password=other-secret&sslmode=require",
  );
  expect(readStoreRecord(home)).toBe("postgres://ann@db:5432/team?sslmode=require");
  const text = readFileSync(storeRecordIn(home), "utf8");
  expect(text).not.toContain("hunter2");
  expect(text).not.toContain("other-secret");
  expect(statSync(storeRecordIn(home)).mode & 0o777).toBe(0o600);
});

test("a record that cannot be read is an error, not a home without sessions", () => {
  const home = temporaryFolder("store-record");
  for (const text of ["", "{", '{"url": "mysql://db/team"}']) {
    writeFileSync(storeRecordIn(home), text);
    expect(() => readStoreRecord(home)).toThrow(/store\.json.*cannot be used/);
  }
});

test.each([
  ["team", "is not a URL"],
  ["mysql://ann:hunter2-hunter2@db/team", "does not begin with postgres://"],
  ["postgres://ann:hunter2-hunter2@db:5432", "names no database"],
  ["postgres://ann:hunter2-hunter2@db:5432/", "names no database"],
  ["postgres:team", "names no host"],
])("the address %s is refused because it %s", (address, why) => {
  expect(() => parseStoreAddress(address)).toThrow(`The address of the database ${why}.`);
});

test("a database behind a socket is named by its folder", () => {
  const { name, password } = parseStoreAddress("postgres:///team?host=/run/postgresql");
  expect([name, password]).toEqual(["/run/postgresql/team", null]);
});
