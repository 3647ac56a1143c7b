/** The answer to a call before it becomes a response; it is kept for repeated calls. */

export interface RouteResponse {
  readonly status: number;
  /** JSON; null when there is no body. */
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The session whose conversation is in the body. */
  readonly session: string | null;
  /** The work continues, so this is not its final answer. */
  readonly passing: boolean;
  /** The body has a secret that is shown only once. */
  readonly shownOnce: boolean;
}

/** Work that is stored, and continues even if this process ends. */
export interface AcceptedCall {
  /** The id of the turn, run or item. */
  readonly subject: string;
  /** For an inbox item: false if it already had this answer. */
  readonly given?: boolean | undefined;
}

/** A call in flight. It always ends with an answer, which may be an error. */
export interface Task {
  readonly accepted: Promise<AcceptedCall>;
  readonly done: Promise<RouteResponse>;
}

export function answer(
  status: number,
  body: unknown,
  more: Partial<RouteResponse> = {},
): RouteResponse {
  const text = body === undefined ? null : JSON.stringify(body);
  return {
    status,
    body: text,
    headers: {},
    session: null,
    passing: false,
    shownOnce: false,
    ...more,
  };
}

/** The work continues; its result can be found at `place`. */
export function accepted(place: string, { subject, given }: AcceptedCall): RouteResponse {
  return answer(
    202,
    { accepted: subject, at: place, given },
    {
      headers: { location: place },
      passing: true,
    },
  );
}

export function responseOf({ status, body, headers }: RouteResponse): Response {
  const type = status >= 400 ? "application/problem+json" : "application/json";
  return new Response(body, {
    status,
    headers: { ...(body === null ? {} : { "content-type": type }), ...headers },
  });
}

/** Waits for the answer for at most `seconds`, then answers that the work continues. */
export async function answerWithin(
  { done, accepted: taken }: Task,
  seconds: number | null,
  placeOf: (subject: string) => string,
): Promise<RouteResponse> {
  if (seconds === null) return done;
  const patience = Promise.withResolvers<null>();
  const timer = setTimeout(() => patience.resolve(null), seconds * 1000);
  try {
    const early = await Promise.race([done, patience.promise]);
    return (
      early ??
      (await Promise.race([done, taken.then((about) => accepted(placeOf(about.subject), about))]))
    );
  } finally {
    clearTimeout(timer);
  }
}
