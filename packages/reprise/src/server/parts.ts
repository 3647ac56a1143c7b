/** The parts of the server that its routes share. */

import type { Reprise } from "@reprise/core/api/reprise";
import type { Context } from "hono";
import type { RouteResponse } from "./answer.ts";
import type { Calls } from "./calls.ts";
import type { EventFeed } from "./event-feed.ts";
import type { Caller } from "./gatekeeper.ts";
import type { InFlight } from "./in-flight.ts";

export interface Parts {
  readonly reprise: Reprise;
  readonly work: InFlight;
  readonly calls: Calls;
  readonly feed: EventFeed;
  /** An error as an answer; an unexpected one is logged with an id. */
  readonly problem: (error: unknown) => RouteResponse;
}

export interface ServerEnv {
  Variables: {
    caller: Caller;
    /** Name of the route, for the log and the metrics. */
    route: string;
  };
}

export type ServerContext = Context<ServerEnv>;
