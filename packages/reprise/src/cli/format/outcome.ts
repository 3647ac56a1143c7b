/** How a turn ended, for people and shells: its badge, guards, notices, question and usage, and the exit code. */

import type { DecisionView, NoticeView, RunView, TurnResult } from "@reprise/core/api/reprise";
import { numbered, type QuestionPart, questionParts } from "@reprise/core/session/question";
import { takeoverText } from "@reprise/core/session/takeover";
import type { TurnStatus } from "@reprise/core/session/turn";
import { inputTokens } from "@reprise/core/usage/usage";
import type { Channel, Style } from "../cli.ts";
import { table } from "./table.ts";
import { elapsed, fitLine, grouped, inert, oneLine, type Piece, textWidth, wrap } from "./text.ts";

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

export function reasonPieces({
  outcome,
  reason,
  verdicts,
  prepare,
  takeover,
}: DecisionView): Piece[] {
  if (reason === "all-hold")
    return [`all guards pass${prepare?.map((each) => prepared[each] ?? "").join("") ?? ""}`];
  if (reason === "prior" && outcome === "blank") return ["first turn"];
  if (takeover && (reason === "prior" || reason === "agent")) return [takeoverText(takeover)];
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

/** What a waiting turn asks, and how to answer it, for people. */
export function questionLines({ asked, turn }: TurnResult): string[] {
  if (asked === null) return [];
  const { kind, tool, input } = asked.question;
  const parts = questionParts({ tool, input });
  const id = turn.id.slice(0, 8);
  const how =
    kind === "permission"
      ? [`reprise approve ${id}`, `reprise reject ${id} --comment "REASON"`]
      : [answerCommand(id, parts)];
  return [
    "The agent asks, and the turn waits:",
    ...partLines(parts).map((line) => `  ${line}`),
    ...how.map((line, index) => `${index === 0 ? "Answer with:" : "          or:"} ${inert(line)}`),
  ];
}

/** Each question with its options below it. */
export function partLines(parts: readonly QuestionPart[]): string[] {
  const texts = numbered(parts.map(({ text }) => text));
  return parts.flatMap(({ options }, index) => [
    inert(texts[index] ?? ""),
    ...options.map((option) => `  - ${inert(option)}`),
  ]);
}

/** Several questions are answered by their numbers. */
export function answerCommand(id: string, parts: readonly QuestionPart[]): string {
  const item = id.slice(0, 8);
  return parts.length === 1
    ? `reprise answer ${item} "ANSWER"`
    : `reprise answer ${item} ${parts.map((_, index) => `--answer ${index + 1}="ANSWER"`).join(" ")}`;
}

// What a turn used: tokens by kind, and its time.

/** `1,204 tokens in (1,100 cached, 80 written) · 56 out · 2.1 s`; null when there is nothing to say. */
export function usageText({ usage, attempts }: TurnResult): string | null {
  const parts: string[] = [];
  if (usage !== null) {
    const { cachedRead, cachedWrite, output } = usage;
    const kinds = [
      ...(cachedRead ? [`${grouped(cachedRead)} cached`] : []),
      ...(cachedWrite ? [`${grouped(cachedWrite)} written`] : []),
    ];
    const total = inputTokens(usage);
    const input = `${grouped(total)} ${total === 1 ? "token" : "tokens"} in`;
    parts.push(kinds.length > 0 ? `${input} (${kinds.join(", ")})` : input);
    if (output !== null) parts.push(`${grouped(output)} out`);
  }
  // Without a started agent there is no time to show.
  const times = attempts
    .filter(({ argv }) => argv !== null)
    .map(({ startedAt, endedAt }) => (endedAt === null ? 0 : endedAt - startedAt));
  if (times.length > 0) parts.push(elapsed(times.reduce((sum, time) => sum + time, 0)));
  return parts.length > 0 ? parts.join(" · ") : null;
}

// The exit codes of turns and runs.

const byStatus: Record<TurnStatus, number> = {
  done: 0,
  skipped: 0,
  queued: 0,
  running: 0,
  waiting: 3,
  failed: 1,
  refused: 1,
  cancelled: 1,
  interrupted: 1,
};

export function turnExitCode({ turn, attempts }: TurnResult): number {
  const timedOut = attempts.at(-1)?.ending === "timed-out";
  return timedOut ? 6 : byStatus[turn.status];
}

const byRunStatus: Record<RunView["status"], number> = {
  done: 0,
  running: 0,
  waiting: 3,
  stuck: 3,
  failed: 1,
  rejected: 1,
  cancelled: 1,
};

export function runExitCode({ status }: RunView): number {
  return byRunStatus[status];
}

/** As `reprise --help` and the reference print them. */
export const exitCodes: readonly (readonly [code: string, meaning: string])[] = [
  ["0", "success, including a queued or skipped turn"],
  [
    "1",
    "failed, rejected, refused, cancelled or interrupted; busy, or a conflict such as a name that is taken",
  ],
  ["2", "usage error; nothing was changed"],
  ["3", "the turn or run waits for a person, or the run is stuck"],
  ["4", "not found"],
  ["5", "denied by the system or by a policy"],
  ["6", "timed out"],
  ["130, 143", "ended by Ctrl-C or by SIGTERM"],
];
