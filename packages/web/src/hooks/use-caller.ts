/** Who looks at the page, and what they may do. */

import { isAllowed, type Role } from "@reprise/core/api/role";
import { useQuery } from "@tanstack/react-query";
import { readCaller } from "../reprise.ts";

export function useCaller() {
  return useQuery({ queryKey: ["caller"], queryFn: readCaller });
}

/** True when the caller's role includes `role`. The app asks for the caller before it shows a page. */
export function useMay(role: Role): boolean {
  const { data } = useCaller();
  return data !== undefined && isAllowed(data.role, role);
}
