/**
 * Imported before everything else: zod compiles its schemas with `new Function` by default, and the page's
 * content security policy reports even the attempt.
 */

import { config } from "zod";

config({ jitless: true });
