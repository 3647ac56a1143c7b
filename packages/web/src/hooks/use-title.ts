/** What the tab is called while a page is shown. */

import { useEffect } from "react";

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Reprise`;
  }, [title]);
}
