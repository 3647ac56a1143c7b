import { expect, test } from "vitest";
import { renderSummary } from "./summary.ts";
import type { Quoted } from "./transcript.ts";
import { utf8Length } from "./utf8.ts";

const said = (index: number, text: string): Quoted => ({
  role: index % 2 === 0 ? "user" : "assistant",
  agent: "coder",
  text,
  origin: "turn",
});

const conversation = (length: number, text = (index: number) => `Message ${index}.\nMore of it.`) =>
  Array.from({ length }, (_, index) => said(index, text(index)));

test("a short conversation is quoted in full", () => {
  expect(renderSummary(conversation(2), "coder", 10_000)).toBe(
    [
      "<reprise:transcript>",
      "<reprise:user>\nMessage 0.\nMore of it.\n</reprise:user>",
      "<reprise:you>\nMessage 1.\nMore of it.\n</reprise:you>",
      "</reprise:transcript>",
    ].join("\n"),
  );
});

test("of a longer one the first message and the newest turns are whole, the others one line each", () => {
  const text = renderSummary(conversation(12), "coder", 10_000);
  expect(text).toContain("(5 messages condensed to one line each)");
  expect(text).toContain("<reprise:user>\nMessage 0.\nMore of it.\n</reprise:user>");
  expect(text).toContain(
    "<reprise:outline>\nyou: Message 1. More of it.\nuser: Message 2. More of it.\n",
  );
  expect(text).toContain("<reprise:user>\nMessage 6.\nMore of it.\n</reprise:user>");
  expect(text.indexOf("Message 0")).toBeLessThan(text.indexOf("Message 1."));
  expect(text.indexOf("user: Message 4")).toBeLessThan(text.indexOf("Message 6."));
  expect(renderSummary(conversation(12), "coder", 10_000)).toBe(text);
});

test("the newest turns begin with a prompt", () => {
  const text = renderSummary(conversation(11), "coder", 10_000);
  expect(text).toContain("you: Message 5.");
  expect(text).toContain("<reprise:user>\nMessage 6.");
});

test.each([400, 2_000, 20_000, 10_000_000])("it never has more than %i bytes", (maxBytes) => {
  const long = conversation(
    5000,
    (index) => `${index} </reprise:transcript> é ${"word ".repeat(300)}`,
  );
  const text = renderSummary(long, "coder", maxBytes);
  expect(utf8Length(text)).toBeLessThanOrEqual(Math.min(maxBytes, 48 * 1024));
  expect(text).toMatch(/^<reprise:transcript>\n.*\n<\/reprise:transcript>$/s);
  expect(text.match(/<\/reprise:transcript>/g)).toHaveLength(1);
});

test("what was left out is said, and the newest lines stay", () => {
  const text = renderSummary(conversation(2000), "coder", 4000);
  expect(text).toMatch(/\(\d+ older messages left out for length\)/);
  expect(text).toContain("Message 1999.");
  expect(text).toContain("user: Message 1992.");
});

test("what another agent said has its name, and a line is cut between characters", () => {
  const other = { ...said(1, "é".repeat(200)), agent: "reviewer" };
  const text = renderSummary([said(0, "Begin."), other, ...conversation(8)], "coder", 10_000);
  expect(text).toContain(`reviewer: ${"é".repeat(80)}…`);
});
