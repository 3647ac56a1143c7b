/** Changes one setting in a settings file, and leaves its comments, its order and all else alone. */

import { mkdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DeniedError, NotFoundError, UsageError } from "@reprise/core/errors/errors";
import {
  canonicalSetting,
  readLayer,
  resolveSettings,
  type SettingName,
} from "@reprise/core/settings/settings";
import { type Document, isCollection, isMap, isScalar, parseDocument } from "yaml";
import { readSettingsFile } from "./config.ts";
import { newId } from "./ids.ts";

/**
 * @returns the value as it was written.
 * @throws UsageError for an unknown name, a bad value, or a file that is wrong besides.
 */
export async function setSetting(
  file: string,
  name: string,
  text: string,
): Promise<string | number> {
  const value = canonicalSetting(name, text, "command line");
  const document = await readDocument(file);
  // Where the file has it already, nested or dotted, there it stays.
  const check = () => resolveSettings([{ origin: file, values: document.toJS() }]);
  const [group = "", ...rest] = name.split(".");
  if (document.has(name)) document.set(name, value);
  else {
    if (rest.length > 0 && document.has(group) && !isMap(document.get(group))) check();
    document.setIn([group, ...rest], value);
  }
  check();
  await writeDocument(file, document);
  return value;
}

/**
 * Sets one entry of a setting that has several, or removes it with `value` null.
 * @throws NotFoundError `not-set` for an entry to remove that the file does not have.
 */
export async function setEntry(
  file: string,
  name: SettingName,
  entry: string,
  value: string | null,
): Promise<void> {
  const document = await readDocument(file);
  const layer = () => ({ origin: file, values: document.toJS() });
  if (!isMap(document.get(name)))
    document.set(name, document.createNode(readLayer(layer()).get(name) ?? {}));
  if (value !== null) document.setIn([name, entry], value);
  else if (!document.deleteIn([name, entry]))
    throw new NotFoundError(
      "not-set",
      `${file} has no entry for ${entry} in ${name}.`,
      "reprise config show lists the settings.",
    );
  const left = document.get(name);
  if (isCollection(left) && left.items.length === 0) deleteTop(document, name);
  resolveSettings([layer()]);
  await writeDocument(file, document);
}

/** @throws NotFoundError when the file does not have it. */
export async function unsetSetting(file: string, name: string): Promise<void> {
  const document = await readDocument(file);
  const dotted = deleteTop(document, name);
  const nested = deleteNested(document, name.split("."));
  if (!dotted && !nested)
    throw new NotFoundError(
      "not-set",
      `${file} does not set "${name}".`,
      "reprise config show tells where each value comes from.",
    );
  await writeDocument(file, document);
}

/** A group that is left empty goes too. */
function deleteNested(document: Document, path: readonly string[]): boolean {
  if (path.length < 2 || !document.hasIn(path)) return false;
  document.deleteIn(path);
  const group = document.getIn(path.slice(0, -1));
  if (isCollection(group) && group.items.length === 0) deleteTop(document, path[0]!);
  return true;
}

/** The comment right above a setting goes with it; what stands over that is about the file. */
function deleteTop(document: Document, name: string): boolean {
  const first = isMap(document.contents) ? document.contents.items[0]?.key : null;
  if (isScalar(first) && first.value === name) {
    const [, heading] = /^(.*)\n\n/s.exec(first.commentBefore ?? "") ?? [];
    if (heading !== undefined) document.commentBefore = heading;
  }
  return document.delete(name);
}

async function readDocument(file: string): Promise<Document> {
  const text = await readSettingsFile(file).catch((error) => {
    if (error.code === "ENOENT") return "";
    throw denied(file, error);
  });
  const document = parseDocument(text);
  const [problem] = document.errors;
  const values = problem ? null : document.toJS();
  if (problem || !(values === null || isMap(document.contents)))
    throw new UsageError(
      "bad-config",
      problem
        ? `The settings file ${file} is not valid YAML: ${problem.message.split(":\n", 1)[0]}.`
        : `The settings file ${file} does not hold names with values.`,
      "Correct the file, or move it away.",
    );
  if (values === null) document.contents = document.createNode({}) as never;
  return document;
}

/** All of it or nothing; a link to a file elsewhere stays a link. */
async function writeDocument(file: string, document: Document): Promise<void> {
  const empty = isCollection(document.contents) && document.contents.items.length === 0;
  if (empty) document.contents = null;
  try {
    await mkdir(dirname(file), { recursive: true });
    const target = await realpath(file).catch(() => file);
    const { mode } = await stat(target).catch(() => ({ mode: 0o600 }));
    const draft = `${target}.${newId()}.new`;
    try {
      await writeFile(draft, empty ? comments(document) : document.toString(), {
        mode: mode & 0o777,
        flag: "wx",
        flush: true,
      });
      await rename(draft, target);
    } finally {
      await rm(draft, { force: true });
    }
  } catch (error) {
    throw denied(file, error);
  }
}

/** A document without a value would be written as `null`. */
function comments({ commentBefore, comment }: Document): string {
  return [commentBefore, comment]
    .filter((text) => text != null)
    .map((text) => text.replace(/^(?=.)/gm, "#"))
    .map((text) => `${text}\n`)
    .join("\n");
}

function denied(file: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  return new DeniedError(
    "config-denied",
    `The settings file ${file} cannot be read or written (${code}).`,
    "Check its permissions and those of its folder.",
    { cause: error },
  );
}
