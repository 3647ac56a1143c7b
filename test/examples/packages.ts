/** Lets an example find `reprise` in this repository, as it would find it once it is installed. */

import { registerHooks } from "node:module";

const sources: Readonly<Record<string, string>> = {
  reprise: "../../packages/reprise/src/library.ts",
  "reprise/client": "../../packages/client/src/connect.ts",
};

registerHooks({
  resolve(specifier, context, next) {
    const source = sources[specifier];
    return source === undefined
      ? next(specifier, context)
      : next(new URL(source, import.meta.url).href, context);
  },
});
