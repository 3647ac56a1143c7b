/** What a caller may do, as his token says. */

/** To look, to answer what waits for a person as well, or everything. */
export const roles = ["viewer", "approver", "operator"] as const;
export type Role = (typeof roles)[number];

export function isAllowed(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
