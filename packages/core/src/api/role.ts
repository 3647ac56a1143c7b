/** What a client may do: the role of its token. */

/** `viewer` reads, `approver` also answers inbox items and questions, `operator` does everything. */
export const roles = ["viewer", "approver", "operator"] as const;
export type Role = (typeof roles)[number];

export function isAllowed(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed);
}
