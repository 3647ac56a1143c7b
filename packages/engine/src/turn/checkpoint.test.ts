import { pin as pinned } from "@reprise/core/session/example";
import type { Pin } from "@reprise/core/session/pin";
import type {
  CheckpointHead,
  CheckpointPart,
  KeptCheckpoints,
} from "@reprise/store/contract/checkpoints";
import { describe, expect, test } from "vitest";
import { sha256 } from "../engine.ts";
import { checkpointParts, copiesOf, filesAt, findRestoration } from "./checkpoint.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (some: Uint8Array) => new TextDecoder().decode(some);
const end = (length: number) => ({ length, digest: `digest of ${length}` });

/** A session's checkpoints as a store would keep them, the file `log` as it was after every turn. */
function after(...files: string[]): KeptCheckpoints {
  const heads: CheckpointHead[] = [];
  const parts: CheckpointPart[] = [];
  for (const [index, content] of files.entries()) {
    const [part] = checkpointParts([{ name: "log", bytes: bytes(content) }], heads[0] ?? null);
    if (part === undefined) throw new Error(`turn ${index + 1} changed nothing`);
    const { name, size, whole, start } = part;
    const snapshot = start === 0 ? size : heads[0]!.files[0]!.snapshot;
    parts.push(part);
    heads.unshift({
      number: index + 1,
      version: 1,
      agent: pinned.agent,
      provider: pinned.provider,
      handle: pinned.handle.id,
      model: "m1",
      turn: `t${index + 1}`,
      standing: {
        given: end(2 * index + 2),
        cursor: null,
        history: end(2 * index + 2),
        summary: null,
        residue: null,
        instructions: null,
        totals: null,
        tokens: 100 * index,
        bytes: content.length,
      },
      files: [{ name, size, whole, snapshot }],
      at: index,
    });
  }
  return { heads, parts };
}

const pinAfter = (turns: number): Pin => ({
  ...pinned,
  turns,
  given: end(2 * turns),
  history: end(2 * turns),
});
const anything = () => true;
const damaged = ({ heads, parts }: KeptCheckpoints, ...which: number[]): KeptCheckpoints => ({
  heads,
  parts: parts.map((part, index) =>
    which.includes(index) ? { ...part, bytes: part.bytes.map((byte) => byte ^ 1) } : part,
  ),
});
const starts = ({ parts }: KeptCheckpoints) => parts.map(({ start }) => start);

describe("the parts of a checkpoint", () => {
  test("are what was appended", () => {
    expect(starts(after("begin, ", "begin, go", "begin, go up"))).toEqual([0, 7, 9]);
  });

  test("are the whole file when its beginning changed, or it became shorter", () => {
    expect(starts(after("begin, ", "Begin, go", "Begin"))).toEqual([0, 0, 0]);
  });

  test("are none when nothing changed", () => {
    const { heads } = after("begin");
    expect(checkpointParts([{ name: "log", bytes: bytes("begin") }], heads[0]!)).toEqual([]);
  });

  test("have the digests of their bytes and of the whole file", () => {
    const [begin, appended, changed] = after("begin, ", "begin, go", "Begin, go").parts;
    expect(begin).toMatchObject({ sha256: sha256("begin, "), whole: sha256("begin, ") });
    expect(appended).toMatchObject({ sha256: sha256("go"), whole: sha256("begin, go") });
    expect(changed).toMatchObject({ sha256: sha256("Begin, go"), whole: sha256("Begin, go") });
  });

  test("are the whole file again when more was appended than it was", () => {
    const files = Array.from({ length: 40 }, (_, index) => "0123456789".repeat(index + 1));
    const kept = after(...files);
    const whole = starts(kept).flatMap((start, index) => (start === 0 ? [index + 1] : []));
    expect(whole).toEqual([1, 3, 7, 15, 31]);
    const stored = kept.parts.reduce((sum, part) => sum + part.bytes.length, 0);
    expect(stored).toBeLessThan(3 * files.at(-1)!.length);
  });

  test("of an older kind, of which the snapshot is not known, begin with a whole file", () => {
    const { heads } = after("begin");
    const old = { ...heads[0]!, files: heads[0]!.files.map((file) => ({ ...file, snapshot: 0 })) };
    expect(checkpointParts([{ name: "log", bytes: bytes("begin, go") }], old)).toMatchObject([
      { start: 0 },
    ]);
  });
});

describe("what can be restored", () => {
  const files = ["aaaaaaaaaa", "aaaaaaaaaab", "aaaaaaaaaabc", "aaaaaaaaaabcd"];
  const found = (
    kept: KeptCheckpoints,
    turns = files.length,
    fits: (pin: Pin) => boolean = anything,
  ) => {
    const restoration = findRestoration(kept, pinAfter(turns), fits);
    return typeof restoration === "string"
      ? restoration
      : {
          file: text(restoration.files[0]!.bytes),
          given: restoration.pin.given.length,
          earlier: restoration.earlier,
        };
  };

  test("the newest one, when it is whole", () => {
    expect(found(after(...files))).toEqual({ file: files[3], given: 8, earlier: false });
  });

  test.each([
    ["the newest part is damaged", [3], 2],
    ["a part in the middle is damaged", [1], 0],
    ["two parts are damaged", [1, 3], 0],
  ])("%s: the checkpoint before it, with the pin of that turn", (_, which, index) => {
    expect(found(damaged(after(...files), ...which))).toEqual({
      file: files[index],
      given: 2 * index + 2,
      earlier: true,
    });
  });

  test("a part is missing: the checkpoint before it", () => {
    const kept = after(...files);
    expect(found({ ...kept, parts: kept.parts.toSpliced(2, 1) })).toMatchObject({
      file: files[1],
    });
  });

  test("a snapshot is damaged: what the one before it has", () => {
    const grown = [...files, "aaaaaaaaaabcd".repeat(2), `${"aaaaaaaaaabcd".repeat(2)}e`];
    const kept = after(...grown);
    expect(starts(kept)).toEqual([0, 10, 11, 12, 0, 26]);
    expect(found(damaged(kept, 4), 6)).toMatchObject({ file: files[3], earlier: true });
    expect(found(damaged(kept, 5), 6)).toMatchObject({ file: grown[4], earlier: true });
    expect(found(damaged(kept, 0, 5), 6)).toMatchObject({ file: grown[4] });
    expect(found(damaged(kept, 0, 4), 6)).toBe("damaged");
  });

  test("a later snapshot also has what checkpoints had whose own parts are gone", () => {
    const grown = [...files, "aaaaaaaaaabcd".repeat(2)];
    const kept = after(...grown);
    const pruned = { ...kept, parts: kept.parts.slice(4) };
    const copies = copiesOf(pruned);
    expect(pruned.heads.map((head) => text(filesAt(head, copies)![0]!.bytes))).toEqual(
      grown.toReversed(),
    );
  });

  test("one that fits: the newest of those", () => {
    expect(found(after(...files), 4, ({ given }) => given.length < 5)).toMatchObject({ given: 4 });
    expect(found(after(...files), 4, () => false)).toBe("damaged");
  });

  test("bytes that do not match the file's digest are never restored", () => {
    const kept = after("aaaa");
    const [part] = checkpointParts([{ name: "log", bytes: bytes("bbbb") }], null);
    expect(found({ ...kept, parts: [part!] }, 1)).toBe("damaged");
  });

  test("nothing, when there is none, or it is a newer version's, or another agent's", () => {
    const kept = after(...files);
    const newest = (change: Partial<CheckpointHead>) => ({
      ...kept,
      heads: [{ ...kept.heads[0]!, ...change }, ...kept.heads.slice(1)],
    });
    expect(found({ heads: [], parts: [] })).toBe("none");
    expect(found(newest({ version: 2 }))).toBe("newer");
    expect(found(newest({ agent: "reviewer" }))).toBe("foreign");
  });

  test("a checkpoint that does not tell its standing counts as the pin's, if it is the newest", () => {
    const kept = after(...files);
    const untold = { ...kept, heads: kept.heads.map((head) => ({ ...head, standing: null })) };
    expect(found(untold)).toEqual({ file: files[3], given: 8, earlier: false });
    expect(found(damaged(untold, 3))).toBe("damaged");
  });

  test("the pin is that of the turn, but for how often it was used and failed", () => {
    const kept = damaged(after(...files), 3);
    const restoration = findRestoration(
      kept,
      { ...pinAfter(4), strikes: 2, tokens: 900 },
      anything,
    );
    expect(restoration).toMatchObject({ pin: { strikes: 2, turns: 4, tokens: 200, model: "m1" } });
  });
});
