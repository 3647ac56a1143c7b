/** The tab's title: how many inbox items are open, and the page. */

import { useEffect } from "react";
import { useInbox } from "./use-inbox.ts";

export function useTitle(title: string): void {
  const open = useInbox().data?.length ?? 0;
  useEffect(() => {
    document.title = `${open > 0 ? `(${open}) ` : ""}${title} · Reprise`;
  }, [title, open]);
}
