/** The tab's title: how many inbox items are open, and the page. */

import { useEffect } from "react";
import { useInbox } from "./use-inbox.ts";

export function useTitle(title: string): void {
  const open = useInbox().data?.length ?? 0;
  useTitleOnly(open > 0 ? `(${open}) ${title}` : title);
}

/** For a page that may not ask the server. */
export function useTitleOnly(title: string): void {
  useEffect(() => {
    document.title = `${title} · Reprise`;
  }, [title]);
}
