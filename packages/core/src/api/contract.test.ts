/** The public types are plain interfaces: here the compiler compares each with the schema that checks it. */

import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type * as portable from "./portable-schemas.ts";
import type * as api from "./reprise.ts";
import type * as runs from "./run-schemas.ts";
import type * as schemas from "./schemas.ts";
import type * as tokens from "./token-schemas.ts";

test("the schemas take what the types say, and nothing else", () => {
  expectTypeOf<z.input<typeof schemas.createAgentSchema>>().toEqualTypeOf<api.CreateAgent>();
  expectTypeOf<z.input<typeof schemas.setAgentSchema>>().toEqualTypeOf<api.SetAgent>();
  expectTypeOf<z.input<typeof schemas.createClassSchema>>().toEqualTypeOf<api.CreateClass>();
  expectTypeOf<z.input<typeof schemas.setClassSchema>>().toEqualTypeOf<api.SetClass>();
  expectTypeOf<z.input<typeof schemas.sendSchema>>().toEqualTypeOf<api.Send>();
  expectTypeOf<z.input<typeof schemas.finishSchema>>().toEqualTypeOf<api.FinishSession>();
  expectTypeOf<z.input<typeof schemas.explainSchema>>().toEqualTypeOf<api.Explain>();
  expectTypeOf<z.input<typeof schemas.answerSchema>>().toEqualTypeOf<api.AnswerTurn>();
  expectTypeOf<z.input<typeof schemas.compactSchema>>().toEqualTypeOf<api.CompactSession>();
  expectTypeOf<z.input<typeof schemas.usageQuerySchema>>().toEqualTypeOf<api.UsageQuery>();
  expectTypeOf<z.input<typeof schemas.holdSchema>>().toEqualTypeOf<api.Hold>();
  expectTypeOf<z.input<typeof schemas.releaseSchema>>().toEqualTypeOf<api.Release>();
  expectTypeOf<z.input<typeof schemas.setSessionSchema>>().toEqualTypeOf<api.SetSession>();
  expectTypeOf<z.input<typeof schemas.pruneSchema>>().toEqualTypeOf<api.Prune>();
  expectTypeOf<z.input<typeof tokens.createTokenSchema>>().toEqualTypeOf<api.CreateToken>();
  expectTypeOf<z.input<typeof tokens.rotateTokenSchema>>().toEqualTypeOf<api.RotateToken>();
  expectTypeOf<z.input<typeof portable.forkSchema>>().toEqualTypeOf<api.ForkSession>();
  expectTypeOf<z.input<typeof portable.moveSchema>>().toEqualTypeOf<api.MoveSession>();
  expectTypeOf<z.input<typeof portable.exportSchema>>().toEqualTypeOf<api.ExportSession>();
  expectTypeOf<z.input<typeof portable.importSchema>>().toEqualTypeOf<api.ImportSession>();
  expectTypeOf<z.input<typeof portable.adoptSchema>>().toEqualTypeOf<api.AdoptSession>();
  expectTypeOf<z.input<typeof runs.startRunSchema>>().toEqualTypeOf<api.StartRun>();
  expectTypeOf<z.input<typeof runs.rerunSchema>>().toEqualTypeOf<api.Rerun>();
  expectTypeOf<z.input<typeof runs.cancelRunSchema>>().toEqualTypeOf<api.CancelRun>();
  expectTypeOf<z.input<typeof runs.answerItemSchema>>().toEqualTypeOf<api.AnswerItem>();
});

test("the schemas give what the types say", () => {
  expectTypeOf<z.output<typeof schemas.agentSchema>>().toEqualTypeOf<api.AgentView>();
  expectTypeOf<z.output<typeof schemas.changedAgentSchema>>().toEqualTypeOf<api.ChangedAgent>();
  expectTypeOf<z.output<typeof schemas.agentClassSchema>>().toEqualTypeOf<api.AgentClassView>();
  expectTypeOf<z.output<typeof schemas.turnResultSchema>>().toEqualTypeOf<api.TurnResult>();
  expectTypeOf<z.output<typeof schemas.decisionSchema>>().toEqualTypeOf<api.DecisionView>();
  expectTypeOf<z.output<typeof schemas.turnSummarySchema>>().toEqualTypeOf<api.TurnSummary>();
  expectTypeOf<z.output<typeof schemas.sessionSchema>>().toEqualTypeOf<api.SessionView>();
  expectTypeOf<z.output<typeof schemas.sessionDetailSchema>>().toEqualTypeOf<api.SessionDetail>();
  expectTypeOf<z.output<typeof schemas.explanationSchema>>().toEqualTypeOf<api.Explanation>();
  expectTypeOf<z.output<typeof schemas.verificationSchema>>().toEqualTypeOf<api.Verification>();
  expectTypeOf<z.output<typeof schemas.readinessSchema>>().toEqualTypeOf<api.Readiness>();
  expectTypeOf<z.output<typeof schemas.doctorSchema>>().toEqualTypeOf<api.DoctorReport>();
  expectTypeOf<z.output<typeof schemas.providerSchema>>().toEqualTypeOf<api.ProviderView>();
  expectTypeOf<z.output<typeof schemas.settingSchema>>().toEqualTypeOf<api.SettingView>();
  expectTypeOf<z.output<typeof schemas.usageReportSchema>>().toEqualTypeOf<api.UsageReport>();
  expectTypeOf<z.output<typeof schemas.backupReportSchema>>().toEqualTypeOf<api.BackupReport>();
  expectTypeOf<z.output<typeof schemas.restoreReportSchema>>().toEqualTypeOf<api.RestoreReport>();
  expectTypeOf<z.output<typeof schemas.pruneReportSchema>>().toEqualTypeOf<api.PruneReport>();
  expectTypeOf<z.output<typeof schemas.eventSchema>>().toEqualTypeOf<api.EventView>();
  expectTypeOf<z.output<typeof tokens.tokenSchema>>().toEqualTypeOf<api.TokenView>();
  expectTypeOf<z.output<typeof tokens.newTokenSchema>>().toEqualTypeOf<api.NewToken>();
  expectTypeOf<
    z.output<typeof portable.createdSessionSchema>
  >().toEqualTypeOf<api.CreatedSession>();
  expectTypeOf<z.output<typeof portable.movedSessionSchema>>().toEqualTypeOf<api.MovedSession>();
  expectTypeOf<z.output<typeof portable.openedSessionSchema>>().toEqualTypeOf<api.OpenedSession>();
  expectTypeOf<z.output<typeof runs.runPlanSchema>>().toEqualTypeOf<api.RunPlan>();
  expectTypeOf<z.output<typeof runs.runSchema>>().toEqualTypeOf<api.RunView>();
  expectTypeOf<z.output<typeof runs.runDetailSchema>>().toEqualTypeOf<api.RunDetail>();
  expectTypeOf<z.output<typeof runs.executionSchema>>().toEqualTypeOf<api.ExecutionView>();
  expectTypeOf<z.output<typeof runs.inboxItemSchema>>().toEqualTypeOf<api.InboxItemView>();
  expectTypeOf<z.output<typeof runs.inboxDetailSchema>>().toEqualTypeOf<api.InboxItemDetail>();
  expectTypeOf<z.output<typeof runs.answeredItemSchema>>().toEqualTypeOf<api.AnsweredItem>();
});
