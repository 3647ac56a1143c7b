/** Keeps the page's connection to the event log open. */

import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { type Live, openLive } from "./live.ts";
import { LiveContext } from "./use-connection.ts";

export function LiveConnection({ children }: { readonly children: ReactNode }) {
  const queries = useQueryClient();
  const [live, setLive] = useState<Live | null>(null);
  useEffect(() => {
    const opened = openLive(queries);
    setLive(opened);
    return () => opened.close();
  }, [queries]);
  return <LiveContext value={live}>{children}</LiveContext>;
}
