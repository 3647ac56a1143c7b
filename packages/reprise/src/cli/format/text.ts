/** Text for a terminal: measured, fitted and wrapped, without control characters; numbers and times for people. */

import { stripVTControlCharacters } from "node:util";
import { shortLine } from "@reprise/core/text/short-line";
import { visibleControls } from "@reprise/core/text/visible-controls";

/** Created when it is first needed: that takes a tenth of a whole command's time. */
let segmenter: Intl.Segmenter | undefined;

/** Letters that take two columns: emoji, and the East Asian wide and full-width blocks. */
const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one
const colour = /(\u001b\[[\d;]*m)/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one
const anyColour = /\u001b\[[\d;:]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one
const ownColour = /(\u001b\[(?:0|1|2|22|3[1236]|39)m)/;

export function textWidth(text: string): number {
  // Nearly everything is ASCII, and segmenting is slow.
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const letter of graphemes(text)) width += wide.test(letter) ? 2 : 1;
  return width;
}

/** At most `width` columns; cut in the middle, because paths and ids differ at their ends. */
export function shorten(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  if (width <= 1) return width === 1 ? "…" : "";
  const letters = graphemes(text);
  const tail = take(letters.toReversed(), Math.floor((width - 1) / 2)).toReversed();
  const head = take(letters, width - 1 - textWidth(tail.join("")));
  return `${head.join("")}…${tail.join("")}`;
}

/** At most `width` columns; cut at the end, after a whole word if one is near. */
export function clip(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  const letters = graphemes(text);
  const head = take(letters, Math.max(0, width - 1)).join("");
  return `${head.replace(/(?<=.{8})[\s.,;]+\S{0,12}$/, "").trimEnd()}…`;
}

/** At most `width` columns of a line; all colour codes stay, so that every colour is reset. */
export function cutLine(line: string, width: number): string {
  if (textWidth(stripVTControlCharacters(line)) <= width) return line;
  let left = Math.max(0, width - 1);
  let isCut = false;
  // Every second part is a colour.
  const parts = line.split(colour).map((part, index) => {
    if (index % 2 === 1 || isCut) return index % 2 === 1 ? part : "";
    const head = take(graphemes(part), left).join("");
    left -= textWidth(head);
    isCut = head.length < part.length;
    return isCut ? `${head}…` : head;
  });
  return parts.join("");
}

/** Rows that a line takes on a terminal of `width` columns, which wraps at any character. */
export function rowsOf(line: string, width: number): number {
  let rows = 1;
  let used = 0;
  for (const letter of graphemes(stripVTControlCharacters(line))) {
    const wanted = textWidth(letter);
    if (used + wanted > width) {
      rows++;
      used = 0;
    }
    used += wanted;
  }
  return rows;
}

function graphemes(text: string): string[] {
  // Loading the rules of Unicode takes some milliseconds; Latin letters, dashes and arrows do not need them.
  if (/^[\u0020-\u02ff\u2010-\u2027\u2190-\u21ff]*$/.test(text)) return text.split("");
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

function take(letters: string[], width: number): string[] {
  let used = 0;
  const end = letters.findIndex((letter) => {
    used += textWidth(letter);
    return used > width;
  });
  return end === -1 ? letters : letters.slice(0, end);
}

/** Words on lines of at most `width` columns. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of oneLine(text).split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line !== "" && textWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Adds a full stop unless the text already ends with punctuation. */
export function sentence(text: string): string {
  return /[.?!…]\s*$/.test(text) ? text : `${text}.`;
}

/** One line without control characters, for a cell of a table or a message. */
export function oneLine(text: string): string {
  return inert(text).replace(/\s+/g, " ").trim();
}

/** The beginning and the end of a long text, for lines that only mention it; `--json` has all of it. */
export function brief(text: string, max = 300): string {
  return shortLine(inert(text), max);
}

/**
 * Makes text from outside harmless on a terminal: removes colours, and escapes all other control characters and those
 * that change the direction of text. Tabs and line ends stay.
 */
export function inert(text: string): string {
  return visibleControls(text.replaceAll(anyColour, "").replaceAll("\r\n", "\n"));
}

/** The same for a line of Reprise: the colours of `paint` stay. */
export function inertLine(line: string): string {
  return line
    .split(ownColour)
    .map((part, index) => (index % 2 === 1 ? part : visibleControls(part)))
    .join("");
}

/** Numbers with separators, as in `1,204`. `Intl` writes the same, but takes more than 10 ms to load. */
export function grouped(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** `1 turn`, `2 turns`, `1,204 tokens`. */
export function amount(count: number, one: string): string {
  return `${grouped(count)} ${count === 1 ? one : `${one}s`}`;
}

// Decides how wide each part of a line is: parts that may shrink do, widest first, until the line fits.

const narrowest = 6;

export function fit(
  natural: readonly number[],
  givesWay: readonly boolean[],
  room: number,
): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width, 0) - room;
  while (excess > 0) {
    const widest = widths.reduce(
      (best, width, index) =>
        givesWay[index] && width > (widths[best] ?? narrowest) ? index : best,
      -1,
    );
    if (widest === -1) break;
    widths[widest]!--;
    excess--;
  }
  return widths;
}

/** Part of a line: fixed text, or a value that may be shortened. */
export type Piece = string | { readonly value: string };

export function fitLine(pieces: readonly Piece[], room: number): string {
  const texts = pieces.map((piece) => (typeof piece === "string" ? piece : piece.value));
  const givesWay = pieces.map((piece) => typeof piece !== "string");
  const widths = fit(texts.map(textWidth), givesWay, room);
  return texts.map((text, index) => shorten(text, widths[index]!)).join("");
}

// Times and durations for people.

const units: readonly (readonly [milliseconds: number, name: string])[] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1_000, "s"],
];

/** How long ago: `12 s`, `3 min`, `2 h`, `5 d`; `now` within a second. */
export function age(at: number, now: number): string {
  const passed = now - at;
  for (const [length, name] of units)
    if (passed >= length) return `${Math.floor(passed / length)} ${name}`;
  return "now";
}

export function ago(at: number, now: number): string {
  const text = age(at, now);
  return text === "now" ? "just now" : `${text} ago`;
}

/** A duration: `0.4 s`, `12 s`, `2 min 5 s`, `3 h 20 min`, `2 d 4 h`. */
export function elapsed(passed: number): string {
  // The clock may have been set back meanwhile.
  const milliseconds = Math.max(0, passed);
  if (milliseconds < 10_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** How long until then: `3 d`, `5 h`; rounded, so that a deadline of three days begins as three. */
export function until(at: number, now: number): string {
  const left = at - now;
  for (const [length, name] of units)
    if (left >= length * 0.95) return `${Math.round(left / length)} ${name}`;
  return "a moment";
}

/** The local time of day, with the date before it. */
export function clock(at: number): string {
  return new Date(at).toLocaleString("sv-SE");
}
