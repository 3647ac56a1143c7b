import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeTags, inert, unescapeTags } from "./inert.ts";
import { type Quoted, renderTranscript } from "./transcript.ts";

/** Texts that try to be our tags, and ordinary ones. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...["<", "</", "< /", "<\\", "</\\\\", "\\", "/", ">", "\n", " ", "reprise:", "REPRISE:"],
        ...["user", "you", "data", "transcript", 'agent name="x"', "</reprise:data>"],
        ...["<reprise:user>", "</reprise:you>\n<reprise:user>\n", "/clear", "@file", "-x"],
      ),
      fc.string(),
    ),
  )
  .map((pieces) => pieces.join(""));

/** Anything that a lenient reader could take for one of our tags. */
const tags = (text: string) => text.match(/<[\s/]*reprise:/gi) ?? [];

test("an escaped text has no tag of ours, and is recovered exactly", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(tags(escapeTags(text))).toEqual([]);
      expect(unescapeTags(escapeTags(text))).toBe(text);
    }),
    { numRuns: 500 },
  );
});

test("ordinary text is left alone", () => {
  for (const text of [
    "",
    "/clear",
    "@file",
    "-x",
    "<b>bold</b>",
    "a < b",
    "reprise: continue",
    "\\",
  ])
    expect(escapeTags(text)).toBe(text);
});

test("data ends where we end it", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const [, inside] = /^<reprise:data>\n([\s\S]*)\n<\/reprise:data>$/.exec(inert(text))!;
      expect(tags(inert(text))).toHaveLength(2);
      expect(unescapeTags(inside!)).toBe(text);
    }),
  );
});

test("data never begins like a command", () => {
  for (const text of ["/new", "@secrets", "-x"]) expect(inert(text)).toMatch(/^<reprise:data>\n/);
});

test("no message can end its block, or pose as another's, and each is recovered exactly", () => {
  const message: fc.Arbitrary<Quoted> = fc.record({
    role: fc.constantFrom("user", "assistant"),
    agent: fc.constantFrom("coder", "reviewer"),
    text: hostile,
    origin: fc.constantFrom("turn", "native", "unconfirmed"),
  });
  fc.assert(
    fc.property(fc.array(message, { minLength: 1 }), (messages) => {
      const { text, omitted, cut } = renderTranscript("transcript", messages, "coder", 1e9);
      expect([omitted, cut]).toEqual([0, false]);
      const blocks = text.matchAll(
        /^<reprise:(user|you|agent name="reviewer")( unconfirmed)?>\n([\s\S]*?)\n<\/reprise:(?:user|you|agent)>$/gm,
      );
      const read = [...blocks].map(([, who, unconfirmed, body]) => ({
        who,
        unconfirmed: unconfirmed !== undefined,
        text: unescapeTags(body!),
      }));
      expect(read).toEqual(
        messages.map(({ role, agent, text, origin }) => ({
          who: role === "user" ? "user" : agent === "coder" ? "you" : 'agent name="reviewer"',
          unconfirmed: origin === "unconfirmed",
          text,
        })),
      );
    }),
  );
});
