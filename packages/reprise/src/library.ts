/** What a program gets that imports `reprise`. */

export { openReprise } from "@reprise/engine/open-reprise";
