/** Changes one setting in a settings file and keeps its comments and order. */

import { mkdir, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { DeniedError, NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { verb } from "@reprise/core/errors/hint";
import {
  canonicalSetting,
  readLayer,
  resolveSettings,
  type SettingName,
} from "@reprise/core/settings/settings";
import { type Document, isCollection, isMap, isScalar, parseDocument } from "yaml";
import { readSettingsFile } from "./config.ts";
import { newId } from "./engine.ts";

/**
 * @returns the value as written.
 * @throws UsageError for an unknown name, a bad value, or a file that is already invalid.
 */
export async function setSetting(
  file: string,
  name: string,
  text: string,
): Promise<string | number> {
  const value = canonicalSetting(name, text, "command line");
  const document = await readDocument(file);
  // Keep the form that the file already uses, nested or dotted.
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
      `${verb("config")} lists the settings.`,
    );
  const left = document.get(name);
  if (isCollection(left) && left.items.length === 0) deleteTop(document, name);
  resolveSettings([layer()]);
  await writeDocument(file, document);
}

/** @throws NotFoundError if the file does not set it. */
export async function unsetSetting(file: string, name: string): Promise<void> {
  const document = await readDocument(file);
  const dotted = deleteTop(document, name);
  const nested = deleteNested(document, name.split("."));
  if (!dotted && !nested)
    throw new NotFoundError(
      "not-set",
      `${file} does not set "${name}".`,
      `${verb("config")} shows where each value comes from.`,
    );
  await writeDocument(file, document);
}

/** Also removes a group that becomes empty. */
function deleteNested(document: Document, path: readonly string[]): boolean {
  if (path.length < 2 || !document.hasIn(path)) return false;
  document.deleteIn(path);
  const group = document.getIn(path.slice(0, -1));
  if (isCollection(group) && group.items.length === 0) deleteTop(document, path[0]!);
  return true;
}

/** Removes the comment directly above the setting too; a comment further up belongs to the file. */
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
        : `The settings file ${file} is not a map of names and values.`,
      "Correct the file, or move it away.",
    );
  if (values === null) document.contents = document.createNode({}) as never;
  return document;
}

/** Writes the whole file or nothing; a symbolic link stays a link. */
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

/** The comments of an empty document, which would otherwise be written as `null`. */
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
