/** What went wrong, as the server says it: a sentence about what happened, and one about what to do. */

export interface ProblemDocument {
  readonly status: number;
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly hint?: string;
}

export class ServerProblem extends Error {
  readonly status: number;
  readonly code: string;
  readonly hint: string;

  constructor({ status, title, detail, code, hint }: ProblemDocument) {
    super(detail ?? title ?? `The server answered with status ${status}.`);
    this.status = status;
    this.code = code ?? "unknown";
    this.hint = hint ?? "";
  }
}

/** Nobody answered: the server is not there, or the network. */
export const unreachable = new ServerProblem({
  status: 0,
  code: "unreachable",
  detail: "The server does not answer.",
  hint: "Start it again with reprise up; this page goes on by itself.",
});

export function asProblem(error: unknown): ServerProblem {
  if (error instanceof ServerProblem) return error;
  return new ServerProblem({
    status: 0,
    detail: error instanceof Error ? error.message : String(error),
  });
}

export async function problemOf(response: Response): Promise<ServerProblem> {
  const { status } = response;
  const body: Partial<ProblemDocument> = await response.json().catch(() => ({}));
  return new ServerProblem({ ...body, status });
}
