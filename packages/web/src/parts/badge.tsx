/** One word with its colour: an outcome or a status. */

type Tone = "good" | "care" | "bad" | "plain" | "live";

const tones: Readonly<Record<Tone, string>> = {
  good: "bg-good-soft text-good",
  care: "bg-care-soft text-care",
  bad: "bg-bad-soft text-bad",
  plain: "bg-plain-soft text-plain",
  live: "bg-live-soft text-live",
};

/** Outcomes, and statuses of runs, executions and turns. */
const words: Readonly<Record<string, Tone>> = {
  resume: "good",
  reseed: "care",
  blank: "plain",
  refuse: "bad",
  running: "live",
  retrying: "live",
  queued: "plain",
  waiting: "care",
  stuck: "bad",
  done: "good",
  failed: "bad",
  rejected: "bad",
  refused: "bad",
  interrupted: "bad",
  cancelled: "plain",
  skipped: "plain",
  stalled: "care",
  denied: "care",
};

export function toneOf(word: string): Tone {
  return words[word] ?? "plain";
}

export function Badge({ word, title }: { readonly word: string; readonly title?: string }) {
  return (
    <span
      title={title}
      className={`inline-block rounded px-1.5 py-0.5 text-xs font-medium whitespace-nowrap ${tones[toneOf(word)]}`}
    >
      {word}
    </span>
  );
}
