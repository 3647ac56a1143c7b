/** What a program gets that imports `reprise`. */

export type { Reprise } from "@reprise/core/api/reprise";
export { openReprise } from "@reprise/engine/open-reprise";
