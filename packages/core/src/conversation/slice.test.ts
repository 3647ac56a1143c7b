import { describe, expect, test } from "vitest";
import { plainHash } from "../session/example.ts";
import type { MessageOutline } from "./message.ts";
import { chain, measureSlice, messageDigest, slice } from "./slice.ts";

/** "coder?1" is a prompt for coder with the text 1, "coder!2" its answer; "*" before it begins anew. */
function conversation(...notes: string[]): MessageOutline[] {
  return notes.map((note, index) => {
    const [, opening, agent, mark, text] = /^(\*?)(\w+)([?!])(.*)$/.exec(note) as string[];
    const role = mark === "?" ? "user" : "assistant";
    return {
      id: `m${index}`,
      role,
      agent: agent!,
      provider: "scripted",
      turn: null,
      digest: messageDigest(role, text!, plainHash),
      origin: "turn",
      opening: opening === "*",
      at: index,
    };
  });
}

const given = (messages: readonly MessageOutline[]) =>
  chain(
    slice(messages, "coder").map(({ digest }) => digest),
    plainHash,
  );

/** Whether what the session was given is still how the agent's slice begins. */
function stillGiven(before: string[], after: string[]): boolean {
  const pinned = given(conversation(...before));
  return measureSlice(conversation(...after), "coder", pinned, plainHash).prefix === pinned.digest;
}

const ids = (messages: readonly MessageOutline[]) => messages.map(({ id }) => id);

describe("the slice of an agent", () => {
  test.each([
    ["nothing", [], []],
    ["its own conversation", ["coder?1", "coder!2"], ["m0", "m1"]],
    [
      "what follows the last answer of another",
      ["other?1", "other!2", "coder?3", "coder!4"],
      ["m2", "m3"],
    ],
    ["nothing after another's answer", ["coder?1", "coder!2", "other?3", "other!4"], []],
    [
      "a prompt for another agent is not a boundary",
      ["coder?1", "coder!2", "other?3"],
      ["m0", "m1", "m2"],
    ],
    [
      "nothing before the last blank turn",
      ["coder?1", "coder!2", "*coder?3", "coder!4"],
      ["m2", "m3"],
    ],
  ])("%s", (_, notes, expected) => {
    expect(ids(slice(conversation(...notes), "coder"))).toEqual(expected);
  });

  test("has nothing that was taken back, be it the beginning or another's answer", () => {
    const messages = conversation(
      "coder?0",
      "*coder?1",
      "coder!2",
      "other?3",
      "other!4",
      "coder?5",
    );
    const without = (...taken: string[]) =>
      messages.map((message) =>
        taken.includes(message.id) ? { ...message, takenBack: "t" } : message,
      );
    expect(ids(slice(without("m1", "m2"), "coder"))).toEqual(["m5"]);
    expect(ids(slice(without("m3", "m4"), "coder"))).toEqual(["m1", "m2", "m5"]);
    expect(ids(slice(without("m1", "m3", "m4"), "coder"))).toEqual(["m2", "m5"]);
  });

  test("is measured with what lies earlier, but not before the last blank turn", () => {
    const messages = conversation("other?0", "other!0", "*other?1", "other!2", "coder?3");
    expect(measureSlice(messages, "coder", null, plainHash)).toMatchObject({
      length: 1,
      earlier: 2,
      prefix: null,
    });
  });
});

describe("what a provider session was given", () => {
  const before = ["other?1", "other!2", "coder?3", "coder!4"];

  test.each([
    ["nothing changed", before, true],
    ["the next turn came", [...before, "coder?5", "coder!6"], true],
    ["another agent's turn was edited", ["other?1", "other!edited", "coder?3", "coder!4"], true],
    ["an earlier prompt was edited", ["other?edited", "other!2", "coder?3", "coder!4"], true],
    ["a prompt of its own was edited", ["other?1", "other!2", "coder?edited", "coder!4"], false],
    ["an answer of its own was edited", ["other?1", "other!2", "coder?3", "coder!edited"], false],
    ["its last answer was removed", ["other?1", "other!2", "coder?3"], false],
    ["the boundary was removed", ["other?1", "coder?3", "coder!4"], false],
    ["all before it was removed", ["coder?3", "coder!4"], true],
    ["the boundary moved back", ["other!2", "other?1", "coder?3", "coder!4"], false],
    ["the boundary moved on", ["other?1", "coder?3", "other!2", "coder!4"], false],
    ["the boundary was retried", ["other?1", "other!again"], false],
    ["another agent answered since", [...before, "other?5", "other!6"], false],
    ["a blank turn came since", [...before, "*coder?5", "coder!6"], false],
    ["a user message became an answer", ["other?1", "other!2", "coder!3", "coder!4"], false],
  ])("%s: still how the slice begins: %s", (_, after, expected) => {
    expect(stillGiven(before, after)).toBe(expected);
  });

  test("nothing is how every slice begins", () => {
    expect(stillGiven([], ["coder?1"])).toBe(true);
  });
});

describe("when another agent answered since", () => {
  const before = ["other?1", "other!2", "coder?3", "coder!4"];
  const pinned = given(conversation(...before));
  const overtaken = (...notes: string[]) =>
    measureSlice(conversation(...notes), "coder", pinned, plainHash).overtaken;

  test("the agent's own part is measured up to the end", () => {
    expect(overtaken(...before, "other?5", "other!6")).toMatchObject({
      length: 4,
      prefix: pinned.digest,
    });
  });

  test("an edit in it shows", () => {
    expect(
      overtaken("other?1", "other!2", "coder?3", "coder!edited", "other?5", "other!6")?.prefix,
    ).not.toBe(pinned.digest);
  });

  test("there is no such part when no other agent answered, or the agent never answered, or a blank turn came", () => {
    expect(overtaken(...before)).toBeUndefined();
    expect(overtaken("other?1", "other!2")).toBeUndefined();
    expect(overtaken(...before, "*other?5", "other!6")).toBeUndefined();
  });
});

test("the chain tells order and length apart", () => {
  expect(chain(["a", "b"], plainHash)).not.toEqual(chain(["b", "a"], plainHash));
  expect(chain(["a", "b", "c"], plainHash, 2)).toEqual(chain(["a", "b"], plainHash));
  expect(chain([], plainHash)).toEqual({ length: 0, digest: "" });
});
