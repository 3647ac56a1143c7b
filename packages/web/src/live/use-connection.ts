/** Whether the page receives events. */

import { createContext, useContext, useSyncExternalStore } from "react";
import type { StreamState } from "./event-stream.ts";
import type { Live } from "./live.ts";

export const LiveContext = createContext<Live | null>(null);

const silent = () => () => {};

export function useConnection(): StreamState {
  const live = useContext(LiveContext);
  return useSyncExternalStore(live?.subscribe ?? silent, live?.state ?? (() => "connecting"));
}
