/** What a call is answered with, before it becomes a response: small enough to be kept for whoever repeats it. */

export interface RouteResponse {
  readonly status: number;
  /** JSON; null when there is nothing to say. */
  readonly body: string | null;
  readonly headers: Readonly<Record<string, string>>;
  /** The session whose words it has. */
  readonly session: string | null;
  /** The work goes on elsewhere, so this is not its last word. */
  readonly passing: boolean;
}

/** What is written: from then on it goes on, whatever happens here. */
export interface AcceptedCall {
  /** The id of what it is about. */
  readonly subject: string;
  /** Of an answer: false when it had been given before. */
  readonly given?: boolean | undefined;
}

/** A call that was begun. It ends with an answer, be it an error, whoever waits for it. */
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
  return { status, body: text, headers: {}, session: null, passing: false, ...more };
}

/** The work goes on; what becomes of it is found at `place`. */
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

/** Waits for the answer at most `seconds`; after that it is enough that the work goes on. */
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
