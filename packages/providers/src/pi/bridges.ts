/** The extension that pi loads for Reprise. */

import { bridge } from "../define-provider.ts";

export const extension = bridge("pi-extension", "./extension.ts", import.meta.url);
