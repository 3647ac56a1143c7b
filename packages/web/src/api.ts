/** All that the page asks of the server, by the paths of core's table of routes. */

import type {
  AnsweredItem,
  AnswerItem,
  DoctorReport,
  Explanation,
  InboxItemDetail,
  InboxItemView,
  Rerun,
  RunDetail,
  RunView,
  Send,
  SessionDetail,
  SessionView,
  StartRun,
  TurnResult,
  TurnSummary,
} from "@reprise/core/api/reprise";
import { type AskOptions, get, post } from "./ask.ts";

/** Answered as soon as the work is written down; how it goes on is told by events. */
const begun = { wait: 0 };

export const inbox = {
  list: (query: { run?: string; all?: boolean } = {}) => get<InboxItemView[]>("/v1/inbox", query),
  show: (item: string) => get<InboxItemDetail>("/v1/inbox/{item}", { item }),
  /** Signed by the server with the name of whoever asks. */
  answer: (answer: Omit<AnswerItem, "by">, options: AskOptions) =>
    post<AnsweredItem>("/v1/inbox/{item}/answer", { ...answer }, { ...begun, ...options }),
};

export const runs = {
  list: (query: { status?: string; limit?: number } = {}) => get<RunView[]>("/v1/runs", query),
  show: (run: string) => get<RunDetail>("/v1/runs/{run}", { run }),
  start: (start: StartRun) => post<RunDetail>("/v1/runs", { ...start }, begun),
  cancel: (run: string) => post<RunView>("/v1/runs/{run}/cancel", { run }),
  rerun: (rerun: Rerun) => post<RunDetail>("/v1/runs/{run}/rerun", { ...rerun }, begun),
  carryOn: (run: string) => post<RunDetail>("/v1/runs/{run}/carry-on", { run }, begun),
};

export const sessions = {
  list: (query: { after?: string; limit?: number } = {}) =>
    get<SessionView[]>("/v1/sessions", query),
  show: (key: string) => get<SessionDetail>("/v1/sessions/{key}", { key }),
  send: (send: Send) => post<TurnResult>("/v1/sessions/{key}/turns", { ...send }, begun),
  explain: (key: string) => post<Explanation>("/v1/sessions/{key}/explain", { key }),
  hold: (key: string) => post<SessionView>("/v1/sessions/{key}/hold", { key }),
  release: (key: string, by: string) =>
    post<SessionView>("/v1/sessions/{key}/release", { key, by }),
  archive: (key: string) => post<SessionView>("/v1/sessions/{key}/archive", { key }),
  revive: (key: string) => post<SessionView>("/v1/sessions/{key}/revive", { key }),
};

export const turns = {
  list: (query: { key: string; after?: string; limit?: number }) =>
    get<TurnSummary[]>("/v1/sessions/{key}/turns", query),
  why: (turn: string) => get<TurnResult>("/v1/turns/{turn}", { turn }),
};

export const doctor = () => get<DoctorReport>("/v1/doctor");

/** Beside the table: changes the token for the page's cookie. */
export const login = (token: string) => post<void>("/v1/login", { token });
