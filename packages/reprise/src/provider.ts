/**
 * `reprise/provider`: what you need to write a provider of your own. docs/writing-a-provider.md describes it step by
 * step.
 *
 * @example
 * import { defineProvider } from "reprise/provider";
 * export default defineProvider({ manifest, probe, command, reader, place, observe, copyOut, copyIn });
 */

export { type Hash, messageDigest } from "@reprise/core/conversation/slice";
export {
  DeniedError,
  NotFoundError,
  SessionLostError,
  TimedOutError,
  UnreadError,
  UsageError,
} from "@reprise/core/errors/errors";
export type { Access, Denial } from "@reprise/core/session/access";
export type { Failure } from "@reprise/core/session/failure";
export type { History, HistoryItem } from "@reprise/core/session/history";
export type { Ability, Handle, Runtime } from "@reprise/core/session/pin";
export type { AskedQuestion, Question } from "@reprise/core/session/question";
export type { JsonSchema } from "@reprise/core/session/turn";
export type { Usage } from "@reprise/core/usage/usage";
export { answersVariable, readAnswer } from "@reprise/providers/answers";
export {
  type Bridge,
  bridge,
  bridgePath,
  defineProvider,
  type ProviderDefinition,
  secretSetting,
} from "@reprise/providers/define-provider";
export {
  jsonLine,
  listIfThere,
  putBack,
  readFiles,
  readIfThere,
  readOnce,
  realPath,
  wholeLines,
} from "@reprise/providers/files";
export {
  foundSessions,
  type ReadHead,
  type SessionListing,
} from "@reprise/providers/found-sessions";
export {
  type AccessMapping,
  contractVersion,
  type ProgramManifest,
  type ProviderAbility,
  type ProviderManifest,
  type SettingSchema,
  type SettingsSchema,
} from "@reprise/providers/manifest";
export { askProgram, examineProgram, findProgram } from "@reprise/providers/program";
export type {
  AgentCommand,
  AgentEvent,
  Exit,
  FileSource,
  FoundSession,
  LaunchAccess,
  LaunchRequest,
  NativeFiles,
  NativeSessions,
  Probe,
  ProbeCache,
  ProbeTools,
  Provider,
  ProviderAgent,
  ProviderFile,
  Reader,
  Retention,
  SessionLocation,
  Unlisted,
} from "@reprise/providers/provider";
