/** Formats outcomes, verdicts and notices: the badge of a turn and the table of its guards. */

import type { DecisionView, NoticeView, TurnResult } from "@reprise/core/api/reprise";
import type { Channel, Style } from "../channel.ts";
import { fitLine, type Piece } from "./fit.ts";
import { table } from "./table.ts";
import { inert, oneLine, textWidth, wrap } from "./text.ts";

type VerdictView = DecisionView["verdicts"][number];

const outcomeStyles: Record<string, Style> = {
  resume: "green",
  reseed: "yellow",
  blank: "cyan",
  refuse: "red",
};

export function outcomeStyle(outcome: string | null): Style | null {
  return (outcome && outcomeStyles[outcome]) || null;
}

export function statusStyle(status: string | null): Style | null {
  if (status === "failed" || status === "refused" || status === "interrupted") return "red";
  return status === "done" ? null : "yellow";
}

/**
 * One line for a turn: `resume · all guards pass · turn 3 of demo · codex`. A guard that failed shows its two values;
 * these and a long key are shortened when the line is too long.
 */
export function badge(channel: Channel, { turn, session, decision, attempts }: TurnResult): string {
  const tries = attempts.filter((attempt) => !attempt.decision.prepare?.includes("compact")).length;
  const groups = [
    [`turn ${turn.seq} of `, { value: session.key }],
    [session.provider],
    ...(attempts.some(({ ending }) => ending === "compacted") ? [["compacted"]] : []),
    ...(tries > 1 ? [[`attempt ${tries}`]] : []),
    ...(decision === null || turn.status === "done" ? [] : [[turn.status]]),
  ];
  return decision === null
    ? outcomeLine(channel, turn.status, groups)
    : decisionLine(channel, decision, groups);
}

/** The outcome and its reason, then the other parts of the line. */
export function decisionLine(
  channel: Channel,
  decision: DecisionView,
  groups: readonly Piece[][],
): string {
  return outcomeLine(channel, decision.outcome, [reasonPieces(decision), ...groups]);
}

function outcomeLine(channel: Channel, word: string, groups: readonly Piece[][]): string {
  const room = channel.width - textWidth(word);
  const pieces = groups.flatMap((group): Piece[] => [" · ", ...group]);
  return channel.paint(outcomeStyle(word) ?? "yellow", word) + fitLine(pieces, room);
}

const prepared: Readonly<Record<string, string>> = {
  restore: ", history restored",
  fork: ", forked",
  compact: ", compacted first",
};

export function reasonPieces({ outcome, reason, verdicts, prepare }: DecisionView): Piece[] {
  if (reason === "all-hold")
    return [`all guards pass${prepare?.map((each) => prepared[each] ?? "").join("") ?? ""}`];
  if (reason === "prior" && outcome === "blank") return ["first turn"];
  // A new agent of the key has no pin yet; the reader wants to know that it took over.
  const isTakeover = reason === "prior" && outcome === "reseed";
  const agent = verdicts.find(({ guard, passed }) => guard === "agent" && !passed);
  if (isTakeover && agent)
    return ["agent: ", { value: oneLine(agent.stored) }, " → ", { value: oneLine(agent.current) }];
  const verdict = verdicts.find(({ guard }) => guard === reason);
  if (verdict === undefined) return [reason];
  const { stored, current } = verdict;
  return [`${reason}: `, { value: oneLine(stored) }, " → ", { value: oneLine(current) }];
}

/** All guards, or those named: mark, guard, stored, current. */
export function verdictTable(
  channel: Channel,
  verdicts: readonly VerdictView[],
  options: { readonly titles?: boolean } = {},
): string[] {
  return table<VerdictView>(
    channel,
    [
      {
        title: "",
        cell: ({ passed }) => (passed ? "✓" : "✗"),
        style: ({ passed }) => (passed ? "green" : "red"),
      },
      { title: "GUARD", cell: ({ guard }) => guard, style: failing("bold") },
      {
        title: "STORED",
        cell: ({ stored }) => stored,
        style: dimUnknown("stored"),
        shrink: "middle",
      },
      {
        title: "CURRENT",
        cell: ({ current }) => current,
        style: dimUnknown("current"),
        shrink: "middle",
      },
    ],
    verdicts,
    { indent: 2, ...options },
  );
}

function failing(style: Style): (verdict: VerdictView) => Style | null {
  return ({ passed }) => (passed ? null : style);
}

function dimUnknown(side: "stored" | "current"): (verdict: VerdictView) => Style | null {
  return (verdict) => (verdict[side] === "unknown" ? "dim" : null);
}

/** Each notice once, although a decision and its turn may both carry it. */
export function noticeLines(
  channel: Channel,
  notices: readonly { readonly code: string; readonly text: string }[],
): string[] {
  const texts = new Set(notices.map(({ text }) => text));
  return [...texts].flatMap((text) => marked(channel, channel.paint("yellow", "!"), text));
}

/** The same, each followed by the whole of what it quotes only in part. */
export function wholeNoticeLines(channel: Channel, notices: readonly NoticeView[]): string[] {
  const details = new Map(notices.map(({ text, detail }) => [text, detail]));
  return [...details].flatMap(([text, detail]) => [
    ...marked(channel, channel.paint("yellow", "!"), text),
    ...(detail === undefined
      ? []
      : inert(detail)
          .split("\n")
          .map((line) => `    ${line}`)),
  ]);
}

/** A sentence after a one-character mark, with its further lines indented. */
export function marked(channel: Channel, mark: string, text: string): string[] {
  return wrap(channel.hint(text), channel.width - 2).map(
    (line, index) => `${index === 0 ? mark : " "} ${line}`,
  );
}

/** The parts of a decision other than outcome and guards. */
export function circumstances({ surface, mode, startupPrompt, runFolder }: DecisionView): string {
  return `surface ${surface} · mode ${mode} · startupPrompt ${startupPrompt} · runFolder ${runFolder}`;
}
