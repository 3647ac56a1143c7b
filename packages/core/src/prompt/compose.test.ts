import { describe, expect, test } from "vitest";
import { TerminalError, UsageError } from "../errors/errors.ts";
import { decide } from "../session/decide.ts";
import type { Decision, Refuse } from "../session/decision.ts";
import { observed, pin, wanted } from "../session/example.ts";
import type { Speaker } from "../session/takeover.ts";
import { type ComposeInput, compose, leadingInstructions } from "./compose.ts";
import { utf8Length } from "./utf8.ts";

const decided = decide(wanted, pin, observed) as Extract<Decision, { outcome: "resume" }>;
const noticed = (code: string) => ({ ...decided, notices: [{ code, text: "…" }] });
const { handle, prepare, catchUp, ...others } = decided;
const reseed: Exclude<Decision, Refuse> = { ...others, outcome: "reseed" };
const blank: Exclude<Decision, Refuse> = { ...others, outcome: "blank" };

type Said = ComposeInput["conversation"][number];
const user = (text: string): Said => ({
  role: "user",
  agent: "coder",
  text,
  origin: "turn",
  opening: false,
});
const answer = (text: string, agent = "coder"): Said => ({
  ...user(text),
  role: "assistant",
  agent,
});

const own = [user("Remember APPLE."), answer("APPLE it is.")];
const foreign = [user("Review it."), answer("Reviewed.", "reviewer")];

function composed(input: Partial<ComposeInput>) {
  return compose({
    decision: decided,
    agent: "coder",
    conversation: own,
    instructions: "Be brief.",
    keepsInstructions: true,
    turnInstructions: null,
    prompt: "What was it?",
    askedLast: false,
    maxBytes: 100_000,
    ...input,
  });
}
const kinds = (input: Partial<ComposeInput>) => composed(input).parts.map(({ kind }) => kind);
const partOf = (input: Partial<ComposeInput>, kind: string) =>
  composed(input).parts.find((part) => part.kind === kind)?.text;

describe("a resumed turn", () => {
  test("S10: is the prompt, nothing else", () => {
    expect(composed({}).text).toBe("What was it?");
  });

  test("S10: says that an earlier question is closed if the last turn asked one", () => {
    expect(composed({ askedLast: true }).text).toBe(
      "Earlier questions and forms are closed. Respond to the message below.\n\nWhat was it?",
    );
    expect(kinds({ askedLast: true, keepsInstructions: false })).toEqual([
      "instructions",
      "focus",
      "prompt",
    ]);
    expect(kinds({ askedLast: true, decision: reseed })).not.toContain("focus");
  });

  test("has the instructions where the provider does not keep them", () => {
    expect(kinds({ keepsInstructions: false })).toEqual(["instructions", "prompt"]);
  });

  test("has the instructions again where a summary may have taken their place", () => {
    const decision = { ...noticed("compaction"), instruct: true };
    expect(kinds({ decision })).toEqual(["instructions", "prompt"]);
  });

  test("says that instructions changed, and has the new ones", () => {
    const input = { decision: { ...decided, instructionsChanged: true } };
    expect(kinds(input)).toEqual(["drift", "instructions", "prompt"]);
    expect(partOf(input, "drift")).toContain("replace the earlier ones");
  });

  test("says that instructions were taken away", () => {
    const input = { decision: { ...decided, instructionsChanged: true }, instructions: null };
    expect(kinds(input)).toEqual(["drift", "prompt"]);
    expect(partOf(input, "drift")).toContain("no longer apply");
  });

  test("quotes what the session has missed, and only that", () => {
    const input = { decision: { ...decided, catchUp: 2 }, conversation: [...own, ...foreign] };
    expect(kinds(input)).toEqual(["catch-up", "prompt"]);
    expect(partOf(input, "catch-up")).toBe(
      `<reprise:catch-up>
<reprise:user>
Review it.
</reprise:user>
<reprise:agent name="reviewer">
Reviewed.
</reprise:agent>
</reprise:catch-up>`,
    );
  });

  test("says that the turn before was cut off, where it was kept", () => {
    expect(kinds({ decision: { ...decided, cutOff: true } })).toEqual(["unconfirmed", "prompt"]);
    expect(kinds({ decision: noticed("unconfirmed-undone") })).toEqual(["prompt"]);
  });
});

describe("a reseeded turn", () => {
  test("has instructions, one notice, the transcript and the prompt", () => {
    const { text, notices } = composed({ decision: reseed });
    expect(text).toBe(`<reprise:instructions>
Be brief.
</reprise:instructions>

You are continuing the conversation recorded below. It is a record, not a request: continue from it, and do not mention this.

<reprise:transcript>
<reprise:user>
Remember APPLE.
</reprise:user>
<reprise:you>
APPLE it is.
</reprise:you>
</reprise:transcript>

What was it?`);
    expect(notices).toEqual([]);
  });

  test("names the agent that it takes the conversation over from", () => {
    const taking = (from: Speaker, more: object = {}) =>
      partOf(
        {
          decision: {
            ...reseed,
            takeover: { by: { agent: "codex", provider: "codex" }, from },
            ...more,
          },
        },
        "continuity",
      );
    expect(taking({ agent: "claude", provider: "claude" })).toMatch(
      /^You take over the conversation recorded below from another agent, claude\. It is a record, /,
    );
    expect(taking({ agent: "coder", provider: "claude" }, { compact: { focus: null } })).toMatch(
      /^You take over the conversation summarized below from another agent, coder \(claude\)\. /,
    );
  });

  test("has a hand-off note of what other agents did before", () => {
    const input = { decision: reseed, conversation: [...foreign, ...own] };
    expect(kinds(input)).toEqual(["instructions", "continuity", "handoff", "transcript", "prompt"]);
    expect(partOf(input, "handoff")).toContain("Reviewed.");
    expect(partOf(input, "transcript")).not.toContain("Reviewed.");
  });

  test("has only the hand-off note when another agent answered last", () => {
    const input = { decision: reseed, conversation: [...own, ...foreign] };
    expect(kinds(input)).toEqual(["instructions", "continuity", "handoff", "prompt"]);
    expect(partOf(input, "handoff")).toContain("APPLE it is.");
  });

  test("has nothing from before the last blank turn", () => {
    const again = [{ ...user("Begin anew."), opening: true }, answer("Begun.")];
    const { text } = composed({ decision: reseed, conversation: [...own, ...again] });
    expect(text).not.toContain("APPLE");
    expect(text).toContain("Begin anew.");
  });

  test("says that its last turn was cut off", () => {
    const cutOff = { ...user("Deploy."), origin: "unconfirmed" as const };
    const input = { decision: reseed, conversation: [...own, cutOff] };
    expect(kinds(input)).toContain("unconfirmed");
    expect(kinds({ decision: reseed, conversation: [cutOff, ...own] })).not.toContain(
      "unconfirmed",
    );
  });

  test("keeps a hand-off note short", () => {
    const long = Array.from({ length: 50 }, (_, n) =>
      answer(`${n} ${"x".repeat(1000)}`, "reviewer"),
    );
    const input = { decision: reseed, conversation: [...long, ...own], maxBytes: 1_000_000 };
    const note = partOf(input, "handoff")!;
    expect(utf8Length(note)).toBeLessThanOrEqual(16 * 1024);
    expect(note).toMatch(/\(\d+ older messages left out for length\)/);
    expect(note).toContain("49 xxx");
  });

  test("leaves out the oldest above the provider's limit, and tells agent and person", () => {
    const long = Array.from({ length: 20 }, (_, n) => user(`${n}: ${"x".repeat(100)}`));
    const { text, notices } = composed({ decision: reseed, conversation: long, maxBytes: 1500 });
    expect(utf8Length(text)).toBeLessThanOrEqual(1500);
    expect(text).toContain("older messages left out for length");
    expect(text).toContain("19: xxx");
    expect(notices).toEqual([
      {
        code: "transcript-shortened",
        text: expect.stringMatching(/the oldest \d+ of 20 messages were left out\.$/),
      },
    ]);
  });

  test("is never made without its transcript", () => {
    expect(() => composed({ decision: reseed, conversation: [] })).toThrow(TerminalError);
    expect(() => composed({ decision: { ...decided, catchUp: 3 } })).toThrow(TerminalError);
  });
});

describe("a blank turn", () => {
  test("has instructions and prompt, whatever was said before", () => {
    expect(kinds({ decision: blank })).toEqual(["instructions", "prompt"]);
  });

  test("is the prompt alone when there are no instructions", () => {
    expect(composed({ decision: blank, instructions: null }).text).toBe("What was it?");
    expect(composed({ decision: blank, instructions: "" }).text).toBe("What was it?");
  });
});

describe("the prompt", () => {
  const texts = ["/new", "-x", "@file", "  spaces  \n", "a\n\nb", "</reprise:transcript>"];
  test.each(texts)("%j stands last, exactly as it was given", (prompt) => {
    for (const decision of [decided, reseed, blank]) {
      const { text, parts } = composed({ decision, prompt });
      expect(text.endsWith(prompt)).toBe(true);
      expect(parts.at(-1)).toEqual({ kind: "prompt", text: prompt });
      expect(text).toBe(parts.map((part) => part.text).join("\n\n"));
    }
  });

  test("has instructions for this turn before it, every time", () => {
    for (const decision of [decided, reseed, blank]) {
      const text = partOf({ decision, turnInstructions: "In French." }, "turn-instructions");
      expect(text).toBe("<reprise:turn-instructions>\nIn French.\n</reprise:turn-instructions>");
    }
  });

  test("may be as long as the provider takes, and no longer", () => {
    const input = { decision: blank, instructions: null, maxBytes: 1000 };
    expect(composed({ ...input, prompt: "é".repeat(500) }).text).toHaveLength(500);
    expect(() => composed({ ...input, prompt: `${"é".repeat(500)}x` })).toThrow(UsageError);
  });
});

describe("a reseed in short", () => {
  const turns = Array.from({ length: 20 }, (_, index) => [
    user(`Question ${index}. ${"word ".repeat(100)}`),
    answer(`Answer ${index}.`),
  ]).flat();
  const compact = (focus: string | null) => ({ ...reseed, compact: { focus } }) as const;

  test("sends a summary, and no more of the transcript", () => {
    const whole = composed({ decision: reseed, conversation: turns });
    const short = composed({ decision: compact(null), conversation: turns });
    expect(short.parts.map(({ kind }) => kind)).toEqual(whole.parts.map(({ kind }) => kind));
    expect(utf8Length(short.text)).toBeLessThan(utf8Length(whole.text) / 2);
    expect(short.text).toContain("You are continuing the conversation summarized below.");
    expect(short.text).toContain("Question 0.");
    expect(short.text).toContain("you: Answer 9.");
    expect(short.text).toMatch(/<reprise:you>\nAnswer 19\.\n/);
    expect(short.notices).toEqual([]);
  });

  test("tells what matters most, as data", () => {
    const { parts } = composed({
      decision: compact("the </reprise:focus> parser"),
      conversation: turns,
    });
    expect(parts.find(({ kind }) => kind === "compact-focus")?.text).toBe(
      "<reprise:focus>\nthe </\\reprise:focus> parser\n</reprise:focus>",
    );
    expect(parts.at(-1)?.kind).toBe("prompt");
  });
});

describe("the instructions at the beginning of a prompt", () => {
  const leading = (input: Partial<ComposeInput>) => leadingInstructions(composed(input).text);
  const block = "<reprise:instructions>\nBe brief.\n</reprise:instructions>";

  test("are found as they were composed", () => {
    expect(leading({ decision: blank })).toBe(block);
    const decision = { ...decided, instructionsChanged: true };
    expect(leading({ decision })).toBe(
      `Your instructions have changed; these replace the earlier ones:\n\n${block}`,
    );
    expect(leading({ decision, instructions: null })).toBe(
      "Your earlier instructions no longer apply.",
    );
  });

  test("are not what a later part says", () => {
    expect(leading({})).toBeNull();
    expect(leading({ decision: blank, instructions: null, prompt: `Look:\n${block}` })).toBeNull();
    expect(leadingInstructions("<reprise:instructions>\nnever closed")).toBeNull();
  });
});
