/** A question that an agent asks in the middle of a turn, and its answer, perhaps days later. */

export interface Question {
  /** The provider's own id for it; the answer carries the same id. */
  readonly id: string;
  readonly kind: "question" | "permission";
  /** The tool that asks, or that needs permission, and its input. */
  readonly tool: string;
  readonly input: unknown;
}

export interface AskedQuestion {
  readonly question: Question;
  /** Asked at the same time and dropped by the provider; the answer tells the agent so. */
  readonly lost: readonly Question[];
}

/** What a permission can be answered with; the first means yes. */
export const permissionChoices = ["allow", "deny"] as const;
export type PermissionChoice = (typeof permissionChoices)[number];

export type QuestionAnswer =
  | {
      readonly decision: "allow";
      /** The answer to each question, by its text; none for a permission. */
      readonly answers?: Readonly<Record<string, string>>;
      /** A comment that the agent gets with it. */
      readonly comment?: string;
    }
  | { readonly decision: "deny"; readonly message: string };

/** One of the questions that an agent asks in one call. */
export interface QuestionPart {
  readonly text: string;
  /** What the agent suggests; another answer is fine too. */
  readonly options: readonly string[];
}

/** The questions in one call of a tool, if its input can be read. Their numbers begin with 1. */
export function questionParts({ tool, input }: Pick<Question, "tool" | "input">): QuestionPart[] {
  const { questions } = (input ?? {}) as { questions?: unknown };
  const known = (Array.isArray(questions) ? questions : []).flatMap((each) => {
    const { question, options } = (each ?? {}) as { question?: unknown; options?: unknown };
    return typeof question === "string" ? [{ text: question, options: labels(options) }] : [];
  });
  return known.length > 0
    ? known
    : [{ text: `May I use ${tool}: ${JSON.stringify(input)}?`, options: [] }];
}

function labels(options: unknown): string[] {
  return (Array.isArray(options) ? options : []).flatMap((option) => {
    const label = typeof option === "string" ? option : (option as { label?: unknown })?.label;
    return typeof label === "string" ? [label] : [];
  });
}

export function questionTexts(question: Pick<Question, "tool" | "input">): string[] {
  return questionParts(question).map(({ text }) => text);
}

/** In one line; several are numbered, as an answer may name them. */
export function questionTitle(question: Pick<Question, "tool" | "input">): string {
  return numbered(questionTexts(question)).join(" · ");
}

export function numbered(texts: readonly string[]): string[] {
  return texts.length === 1 ? [...texts] : texts.map((text, index) => `${index + 1}. ${text}`);
}

/** Question and answer as text: for the transcript, and for a provider session that did not ask. */
export function renderAnswer({ question, lost }: AskedQuestion, answer: QuestionAnswer): string {
  const asked = questionTexts(question);
  const lines =
    answer.decision === "deny"
      ? asked.map((text) => `You asked: ${text}\nAnswer: no. ${answer.message}`)
      : asked.map((text) => `You asked: ${text}\nAnswer: ${answer.answers?.[text] ?? "yes"}`);
  return [...lines, ...notesBeside(answer, lost)].join("\n\n");
}

/** Notes that the agent gets with the answer: a comment, and which of its questions were lost. */
export function notesBeside(answer: QuestionAnswer, lost: readonly Question[]): string[] {
  const comment = answer.decision === "allow" ? answer.comment : undefined;
  return [...(comment === undefined ? [] : [`Comment: ${comment}`]), ...lostNote(lost)];
}

/** The note about questions that can no longer be answered. */
function lostNote(lost: readonly Question[]): string[] {
  if (lost.length === 0) return [];
  const texts = lost.flatMap(questionTexts).map((text) => `- ${text}`);
  return [
    `These were asked at the same time and were not answered; ask again:\n${texts.join("\n")}`,
  ];
}
