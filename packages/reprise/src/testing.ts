/**
 * `reprise/testing`: for tests of providers, of stores and of programs that use Reprise. The suites that every provider
 * and every store must pass, the scripted agent, and model servers on loopback that need no account.
 *
 * @example
 * import { test } from "node:test";
 * import { providerSuite } from "reprise/testing";
 * import provider from "./provider.js";
 * for (const { name, run } of providerSuite({ provider })) test(name, run);
 */

export { startAnthropicServer } from "@reprise/providers/models/anthropic-messages";
export { startGeminiServer } from "@reprise/providers/models/gemini-content";
export type {
  Answer,
  ModelRefusal,
  ModelRequest,
  ModelToolCall,
  SeenMessage,
} from "@reprise/providers/models/model";
export { startChatServer } from "@reprise/providers/models/openai-chat";
export { startResponsesServer } from "@reprise/providers/models/openai-responses";
export { remembering } from "@reprise/providers/models/remembering";
export type { ModelServer, ModelServerOptions } from "@reprise/providers/models/server";
export { scripted } from "@reprise/providers/scripted/provider";
export { openSqliteStore } from "@reprise/store/sqlite/open";
export type { Store } from "@reprise/store/store";
export type { Opened as StoreUnderTest, StoreTestOptions } from "@reprise/store/suite/fixture";
export { type StoreSuiteOptions, storeSuite } from "@reprise/store/suite/store-suite";
export type { StoreTestRunner } from "@reprise/store/suite/store-test-runner";
export {
  type ProviderCheck,
  type ProviderSuiteOptions,
  providerSuite,
} from "./testing/provider-suite.ts";
