import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/temporary-folder.ts";
import { readBounded } from "./files.ts";

const folder = temporaryFolder("bounded");
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const limits = { limit: 1024 * 1024, what: "script" };

test("a regular file is read whole, up to the limit", async () => {
  const file = join(folder, "text");
  writeFileSync(file, "x".repeat(limits.limit));
  expect((await readBounded(file, limits)).length).toBe(limits.limit);
  writeFileSync(file, "");
  expect((await readBounded(file, limits)).length).toBe(0);
});

test("a file that reports no size is read as well", async () => {
  expect((await readBounded("/proc/self/status", limits)).toString()).toMatch(/^Name:/);
});

test("V2: a file above the limit is refused after reading little of it", async () => {
  const file = join(folder, "large");
  writeFileSync(file, "");
  truncateSync(file, 1024 ** 4);
  const before = bytesRead();
  await expect(readBounded(file, limits)).rejects.toMatchObject({
    code: "file-too-large",
    message: `The script ${file} has more than 1 MiB.`,
  });
  expect(bytesRead() - before).toBeLessThan(2 * limits.limit);
});

test("V2: a device, a FIFO and a socket are refused without being opened", async () => {
  const fifo = join(folder, "fifo");
  execFileSync("mkfifo", [fifo]);
  const socket = join(folder, "socket");
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  for (const [path, kind] of [
    ["/dev/zero", "a device"],
    [fifo, "a FIFO"],
    [socket, "a socket"],
  ] as const)
    await expect(readBounded(path, limits)).rejects.toMatchObject({
      code: "not-a-file",
      message: `The script ${path} is ${kind}, not a regular file.`,
    });
  server.close();
});

test("a folder and a missing file fail with the system's error", async () => {
  await expect(readBounded(folder, limits)).rejects.toMatchObject({ code: "EISDIR" });
  await expect(readBounded(join(folder, "no"), limits)).rejects.toMatchObject({ code: "ENOENT" });
});

test("a pipe is read where pipes are accepted, an endless one up to the limit", async () => {
  const fifo = join(folder, "written");
  execFileSync("mkfifo", [fifo]);
  const read = readBounded(fifo, { ...limits, pipes: true });
  await writeFile(fifo, "hello");
  expect((await read).toString()).toBe("hello");
  await expect(readBounded("/dev/zero", { ...limits, pipes: true })).rejects.toMatchObject({
    code: "file-too-large",
  });
});

/** Bytes that this process has read so far. */
function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync("/proc/self/io", "utf8"))?.[1]);
}
