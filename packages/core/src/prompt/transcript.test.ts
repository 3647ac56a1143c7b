import fc from "fast-check";
import { expect, test } from "vitest";
import { type Quoted, renderTranscript } from "./transcript.ts";
import { utf8Length } from "./utf8.ts";

const user = (text: string): Quoted => ({ role: "user", agent: "coder", text, origin: "turn" });
const answer = (text: string, agent = "coder"): Quoted => ({
  ...user(text),
  role: "assistant",
  agent,
});

test("messages are in order, each with its author", () => {
  const messages = [
    user("Begin."),
    answer("Begun."),
    answer("Reviewed.", "reviewer"),
    { ...user("Continue."), origin: "unconfirmed" as const },
  ];
  expect(renderTranscript("transcript", messages, "coder", 10_000)).toEqual({
    omitted: 0,
    cut: false,
    text: `<reprise:transcript>
<reprise:user>
Begin.
</reprise:user>
<reprise:you>
Begun.
</reprise:you>
<reprise:agent name="reviewer">
Reviewed.
</reprise:agent>
<reprise:user unconfirmed>
Continue.
</reprise:user>
</reprise:transcript>`,
  });
});

test("what does not fit is left out from the oldest on, and that is said", () => {
  const messages = ["one", "two", "three"].map((text) => user(text.repeat(20)));
  const { text, omitted, cut } = renderTranscript("handoff", messages, "coder", 300);
  expect({ omitted, cut }).toEqual({ omitted: 1, cut: false });
  expect(text).toContain("<reprise:handoff>\n(1 older message left out for length)\n");
  expect(text).not.toContain("oneone");
  expect(text).toContain("twotwo");
  expect(text).toContain("threethree");
});

test("a single message that is too long is cut, and that is said", () => {
  const messages = [user("old"), user("x".repeat(5000))];
  const { text, omitted, cut } = renderTranscript("transcript", messages, "coder", 400);
  expect({ omitted, cut }).toEqual({ omitted: 1, cut: true });
  const [, kept, left] = /\n(x+)\n\[(\d+) bytes left out\]\n/.exec(text)!;
  expect(kept!.length + Number(left)).toBe(5000);
});

test("when nothing fits, at least that is said", () => {
  const { text, omitted } = renderTranscript("transcript", [user("a"), user("b")], "coder", 10);
  expect(omitted).toBe(2);
  expect(text).toBe(
    "<reprise:transcript>\n(2 older messages left out for length)\n</reprise:transcript>",
  );
});

test("it never takes more than there is room for, and leaves nothing out in silence", () => {
  const text = fc
    .tuple(fc.constantFrom("x", "é", "😀", "\n", "<reprise:user>"), fc.nat({ max: 100 }))
    .map(([piece, times]) => piece.repeat(times));
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 120, max: 1500 }),
      (texts, maxBytes) => {
        const rendered = renderTranscript("transcript", texts.map(user), "coder", maxBytes);
        expect(utf8Length(rendered.text)).toBeLessThanOrEqual(maxBytes);
        const blocks = rendered.text.match(/^<reprise:user>$/gm)?.length ?? 0;
        expect(blocks + rendered.omitted).toBe(texts.length);
        expect(rendered.text.includes("left out for length")).toBe(rendered.omitted > 0);
      },
    ),
  );
});
