/** Which rules the loader reads a workflow by. */

/**
 * Pinned in every run: a run continues by the rules of the loader that it was started with. 2: ports that a
 * node does not have are errors.
 */
export const formatVersion = 2;
