/** One inbox item, with whether its sessions could be resumed now. */

import { useQuery } from "@tanstack/react-query";
import { inbox } from "../reprise.ts";

export function useItem(item: string) {
  return useQuery({ queryKey: ["item", item], queryFn: () => inbox.show(item) });
}
