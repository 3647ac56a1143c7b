/**
 * A scan: compares the files in the homes of the agents' programs with the copies, and reads what is new or changed. It
 * writes nothing into those homes.
 */

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "@reprise/core/api/parse";
import { scanSchema } from "@reprise/core/api/protect-schemas";
import type { ScanProtect, ScanReport } from "@reprise/core/api/reprise";
import { shortLine } from "@reprise/core/text/short-line";
import { headBytes, uptoLastLine } from "@reprise/providers/found-sessions";
import type {
  KeptState,
  KnownFile,
  NewKept,
  NewKeptFile,
  UnreadFile,
} from "@reprise/store/contract/kept";
import { type Engine, sha256 } from "../engine.ts";
import { type FoundFile, ReadCount, readChange, readHead } from "./changed-file.ts";
import { type NativeHome, nativeHomes } from "./homes.ts";

/** How many files are looked at side by side, and how many sessions are written at once. */
const width = 64;
/** How many rows are read from the store at once. */
const pageRows = 1000;
/** How many unread files are recorded. */
const maxUnread = 100;

export async function scanNow(engine: Engine, input: ScanProtect = {}): Promise<ScanReport> {
  const { agent, limit = Number.MAX_SAFE_INTEGER } = parse(scanSchema(), input);
  const startedAt = engine.now();
  const total = new Scan(engine, limit);
  for (const home of await nativeHomes(engine, { agent })) await total.scan(home);
  const { report } = total;
  // A scan of one agent, or a part of one, says nothing about the others.
  if (agent == null && report.remaining === 0)
    await engine.store.recordScan({
      host: engine.home.hostId,
      unread: report.unread.slice(0, maxUnread),
      at: startedAt,
    });
  await forgetExpired(engine);
  return { ...report, took: engine.now() - startedAt };
}

/** Removes the copies that the setting `protect.keep` does not keep any longer. */
async function forgetExpired({ settings, store, home, now }: Engine): Promise<void> {
  const keep = settings["protect.keep"];
  if (keep === null) return;
  const query = { host: home.hostId, gone: true, before: now() - keep, limit: pageRows };
  for (const { kept } of await store.listKept(query)) await store.forgetKept({ kept, at: now() });
}

/** Follows from what identifies a session, so that two scans name it alike. */
function keptName(host: string, { provider, place }: NativeHome, id: string): string {
  return sha256([host, provider.manifest.name, place, id].join("\0")).slice(0, 32);
}

interface ChangedFile extends FoundFile {
  readonly known: KnownFile | undefined;
}

interface Identified {
  readonly file: ChangedFile;
  /** The beginning of the file. */
  readonly head: Uint8Array;
  readonly id: string;
  readonly folder: string | null;
  readonly prompt: string | null;
  readonly state: KeptState;
}

class Scan {
  readonly #engine: Engine;
  readonly #count = new ReadCount();
  readonly #unread: UnreadFile[] = [];
  readonly #totals = { found: 0, added: 0, changed: 0, gone: 0, remaining: 0 };
  #left: number;

  constructor(engine: Engine, limit: number) {
    this.#engine = engine;
    this.#left = limit;
  }

  get report(): Omit<ScanReport, "took"> {
    const { paths, bytes } = this.#count;
    return { ...this.#totals, filesRead: paths.size, bytesRead: bytes, unread: this.#unread };
  }

  async scan(home: NativeHome): Promise<void> {
    this.#unread.push(...(home.unlisted ?? []));
    const known = new Known(await this.#known(home));
    const pinned = await this.#pinned(home, known.files);
    const found = await this.#found(home);
    this.#totals.found += found.length;
    const changed = found
      .map((file) => ({ ...file, known: known.named(file.name) }))
      .filter((file) => isChanged(file, pinned));
    const now = changed.slice(0, this.#left);
    this.#left -= now.length;
    this.#totals.remaining += changed.length - now.length;
    for (let start = 0; start < now.length; start += width)
      await this.#keep(home, known, now.slice(start, start + width));
    await this.#mark(home, known, new Set(found.map(({ name }) => name)));
  }

  async #known(home: NativeHome): Promise<KnownFile[]> {
    const { store, home: own } = this.#engine;
    const of = { host: own.hostId, provider: home.provider.manifest.name, place: home.place };
    const known: KnownFile[] = [];
    for (;;) {
      const last = known.at(-1) ?? null;
      const page = await store.listKnownFiles({ ...of, after: last, limit: pageRows });
      known.push(...page);
      if (page.length < pageRows) return known;
    }
  }

  /** The ids that a session of Reprise continues. */
  async #pinned(home: NativeHome, files: readonly { readonly id: string }[]) {
    const ids = [...new Set(files.map(({ id }) => id))];
    const found: string[] = [];
    for (let start = 0; start < ids.length; start += pageRows) {
      const handles = ids.slice(start, start + pageRows);
      const { name: provider } = home.provider.manifest;
      const rows = await this.#engine.store.findPinned({ provider, handles });
      found.push(...rows.map(({ handle }) => handle));
    }
    return new Set(found);
  }

  /** Files that vanish meanwhile are left out. */
  async #found({ place, names }: NativeHome): Promise<FoundFile[]> {
    const found: FoundFile[] = [];
    for (let start = 0; start < names.length; start += width) {
      const stats = names.slice(start, start + width).map(async (name) => {
        const file = await this.#try(join(place, name), () => stat(join(place, name)));
        return file?.isFile() ? [fileFrom(name, file)] : [];
      });
      found.push(...(await Promise.all(stats)).flat());
    }
    return found;
  }

  async #keep(home: NativeHome, known: Known, changed: readonly ChangedFile[]): Promise<void> {
    const { store, home: own, now } = this.#engine;
    const identified = (
      await Promise.all(changed.map((file) => this.#identify(home, file)))
    ).filter((each) => each !== null);
    const pinned = await this.#pinned(home, identified);
    const read = await Promise.all(
      identified.map(async ({ file, head, id, ...named }) => {
        const kept = keptName(own.hostId, home, id);
        const state = pinned.has(id) ? ("own" as const) : named.state;
        const ofSession = known.of(kept);
        const files =
          state === "kept"
            ? await this.#read(home, { file, head, id }, ofSession)
            : [
                unread(
                  file,
                  ofSession.find(({ name }) => name === file.name),
                ),
              ];
        return { ...named, file, id, kept, state, ofSession, files };
      }),
    );
    const sessions = new Map<string, NewKept>();
    for (const { file, id, kept, state, ofSession, files, ...named } of read) {
      if (files === null) continue;
      known.assign(file.name, kept);
      const before = sessions.get(kept);
      const isNew = ofSession.length === 0 && before === undefined;
      if (state === "kept") this.#totals[isNew ? "added" : "changed"] += 1;
      sessions.set(kept, {
        ...named,
        ...{ kept, host: own.hostId, provider: home.provider.manifest.name, place: home.place },
        ...{ id, state },
        usedAt: Math.max(
          file.modifiedAt,
          before?.usedAt ?? 0,
          ...ofSession.map(({ modifiedAt }) => modifiedAt),
        ),
        files: [...(before?.files ?? []), ...files],
      });
    }
    if (sessions.size > 0)
      await store.keepSessions({ sessions: [...sessions.values()], at: now() });
  }

  async #identify(home: NativeHome, file: ChangedFile): Promise<Identified | null> {
    const path = join(home.place, file.name);
    return this.#try(path, async () => {
      const head = await readHead(path, Math.min(headBytes, file.size), this.#count);
      const session = await home.native.identify(path, uptoLastLine(head));
      if (session === null)
        return { file, head, id: file.name, folder: null, prompt: null, state: "other" };
      const { id, folder, prompt } = session;
      return { file, head, id, folder, prompt: shortLine(prompt), state: "kept" };
    });
  }

  /** The file, and the files beside it that changed. Null if the file itself cannot be read. */
  async #read(
    home: NativeHome,
    { file, head, id }: Pick<Identified, "file" | "head" | "id">,
    known: readonly KnownFile[],
  ): Promise<NewKeptFile[] | null> {
    const { place, native } = home;
    const main = await this.#readFile(home, file, known, head);
    if (main === null) return null;
    const names = await this.#try(place, () =>
      Promise.resolve(native.beside?.({ id, place }, file.name) ?? []),
    );
    const files = [main];
    for (const name of names ?? []) {
      const path = join(place, name);
      const found = await this.#try(path, () => stat(path));
      const before = known.find((each) => each.name === name);
      const beside = found && { ...fileFrom(name, found), known: before };
      if (!beside || !isChanged(beside, new Set())) continue;
      const read = await this.#readFile(home, beside, known);
      if (read) files.push(read);
    }
    return files;
  }

  #readFile(
    { place }: NativeHome,
    file: ChangedFile,
    known: readonly KnownFile[],
    head: Uint8Array = new Uint8Array(),
  ): Promise<NewKeptFile | null> {
    const path = join(place, file.name);
    const before = known.find(({ name }) => name === file.name);
    return this.#try(path, () =>
      readChange(path, file, before, {
        head,
        count: this.#count,
        flush: (parts) => this.#engine.store.keepBytes(parts),
      }),
    );
  }

  async #mark(home: NativeHome, known: Known, found: ReadonlySet<string>): Promise<void> {
    const { store, now } = this.#engine;
    const unlisted = (home.unlisted ?? []).map(({ path }) => `${path}/`);
    const gone: string[] = [];
    const there: string[] = [];
    for (const [kept, files] of known.sessions) {
      const isGone = files[0]!.goneAt !== null;
      const isThere = files.some(({ name }) => found.has(name) && known.owner(name) === kept);
      const isHidden = files.some(({ name }) =>
        unlisted.some((path) => join(home.place, name).startsWith(path)),
      );
      if (isThere && isGone) there.push(kept);
      else if (!isThere && !isGone && !isHidden) gone.push(kept);
      if (!isThere && !isGone && !isHidden && files[0]!.state === "kept") this.#totals.gone += 1;
    }
    if (gone.length + there.length > 0) await store.markKept({ gone, there, at: now() });
  }

  /** Null if it failed; the file is named, and the scan continues. A file that has vanished is none that was lost here. */
  async #try<Result>(path: string, work: () => Promise<Result>): Promise<Result | null> {
    try {
      return await work();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT") this.#unread.push({ path, problem: message });
      return null;
    }
  }
}

/** What is known of the files of a home. A file may have another session than before, or none. */
class Known {
  readonly files: readonly KnownFile[];
  readonly sessions: ReadonlyMap<string, readonly KnownFile[]>;
  readonly #owners: Map<string, string>;
  readonly #named: ReadonlyMap<string, KnownFile>;

  constructor(files: readonly KnownFile[]) {
    this.files = files;
    this.sessions = Map.groupBy(files, ({ kept }) => kept);
    // That a file has no session any more was found out after it had one.
    const ordered = files.toSorted((one, other) => rank(one) - rank(other));
    this.#named = new Map(ordered.map((file) => [file.name, file]));
    this.#owners = new Map(ordered.map(({ name, kept }) => [name, kept]));
  }

  named(name: string): KnownFile | undefined {
    return this.#named.get(name);
  }

  of(kept: string): readonly KnownFile[] {
    return this.sessions.get(kept) ?? [];
  }

  owner(name: string): string | undefined {
    return this.#owners.get(name);
  }

  assign(name: string, kept: string): void {
    this.#owners.set(name, kept);
  }
}

/** Among rows of one file, the one that counts is the last: of a session that is gone, of one that is there, of none. */
function rank({ state, goneAt }: KnownFile): number {
  if (goneAt !== null) return 0;
  return state === "other" ? 2 : 1;
}

function fileFrom(name: string, found: { readonly size: number; readonly mtimeMs: number }) {
  return { name, size: found.size, modifiedAt: Math.floor(found.mtimeMs) };
}

/** New, written since, or no longer what a session of Reprise continues. */
function isChanged({ known, size, modifiedAt }: ChangedFile, pinned: ReadonlySet<string>): boolean {
  if (known === undefined) return true;
  if (known.state === "forgotten") return false;
  if (known.foundSize !== size || known.modifiedAt !== modifiedAt) return true;
  if (known.state === "other") return false;
  return (known.state === "own") !== pinned.has(known.id);
}

/** Its size and time alone, so that it is not read again until it changes. */
function unread(file: FoundFile, known: KnownFile | undefined): NewKeptFile {
  const { name, size: foundSize, modifiedAt } = file;
  const generation = (known?.generation ?? 0) + 1;
  const after = known === undefined ? null : { generation: known.generation, size: known.size };
  return { name, generation, size: 0, foundSize, modifiedAt, fingerprint: "", after, parts: [] };
}
