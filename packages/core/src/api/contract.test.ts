/** The public types are plain interfaces: here the compiler compares each with the schema that checks it. */

import { expectTypeOf, test } from "vitest";
import type { z } from "zod";
import type * as portable from "./portable-schemas.ts";
import type * as protect from "./protect-schemas.ts";
import type * as api from "./reprise.ts";
import type * as runs from "./run-schemas.ts";
import type * as schemas from "./schemas.ts";
import type * as tokens from "./token-schemas.ts";

test("the schemas take what the types say, and nothing else", () => {
  expectTypeOf<
    z.input<ReturnType<typeof schemas.createAgentSchema>>
  >().toEqualTypeOf<api.CreateAgent>();
  expectTypeOf<z.input<ReturnType<typeof schemas.setAgentSchema>>>().toEqualTypeOf<api.SetAgent>();
  expectTypeOf<
    z.input<ReturnType<typeof schemas.createClassSchema>>
  >().toEqualTypeOf<api.CreateClass>();
  expectTypeOf<z.input<ReturnType<typeof schemas.setClassSchema>>>().toEqualTypeOf<api.SetClass>();
  expectTypeOf<z.input<ReturnType<typeof schemas.sendSchema>>>().toEqualTypeOf<api.Send>();
  expectTypeOf<
    z.input<ReturnType<typeof schemas.finishSchema>>
  >().toEqualTypeOf<api.FinishSession>();
  expectTypeOf<z.input<ReturnType<typeof schemas.explainSchema>>>().toEqualTypeOf<api.Explain>();
  expectTypeOf<z.input<ReturnType<typeof schemas.answerSchema>>>().toEqualTypeOf<api.AnswerTurn>();
  expectTypeOf<
    z.input<ReturnType<typeof schemas.compactSchema>>
  >().toEqualTypeOf<api.CompactSession>();
  expectTypeOf<
    z.input<ReturnType<typeof schemas.usageQuerySchema>>
  >().toEqualTypeOf<api.UsageQuery>();
  expectTypeOf<z.input<ReturnType<typeof schemas.holdSchema>>>().toEqualTypeOf<api.Hold>();
  expectTypeOf<z.input<ReturnType<typeof schemas.releaseSchema>>>().toEqualTypeOf<api.Release>();
  expectTypeOf<
    z.input<ReturnType<typeof schemas.setSessionSchema>>
  >().toEqualTypeOf<api.SetSession>();
  expectTypeOf<z.input<ReturnType<typeof schemas.pruneSchema>>>().toEqualTypeOf<api.Prune>();
  expectTypeOf<
    z.input<ReturnType<typeof tokens.createTokenSchema>>
  >().toEqualTypeOf<api.CreateToken>();
  expectTypeOf<
    z.input<ReturnType<typeof tokens.rotateTokenSchema>>
  >().toEqualTypeOf<api.RotateToken>();
  expectTypeOf<z.input<ReturnType<typeof protect.scanSchema>>>().toEqualTypeOf<api.ScanProtect>();
  expectTypeOf<
    z.input<ReturnType<typeof protect.setProtectSchema>>
  >().toEqualTypeOf<api.SetProtect>();
  expectTypeOf<z.input<ReturnType<typeof protect.listKeptSchema>>>().toEqualTypeOf<api.ListKept>();
  expectTypeOf<
    z.input<ReturnType<typeof protect.restoreKeptSchema>>
  >().toEqualTypeOf<api.RestoreKept>();
  expectTypeOf<z.input<ReturnType<typeof portable.forkSchema>>>().toEqualTypeOf<api.ForkSession>();
  expectTypeOf<z.input<ReturnType<typeof portable.moveSchema>>>().toEqualTypeOf<api.MoveSession>();
  expectTypeOf<
    z.input<ReturnType<typeof portable.exportSchema>>
  >().toEqualTypeOf<api.ExportSession>();
  expectTypeOf<
    z.input<ReturnType<typeof schemas.listProviderSessionsSchema>>
  >().toEqualTypeOf<api.ListProviderSessions>();
  expectTypeOf<
    z.input<ReturnType<typeof portable.importSchema>>
  >().toEqualTypeOf<api.ImportSession>();
  expectTypeOf<
    z.input<ReturnType<typeof portable.adoptSchema>>
  >().toEqualTypeOf<api.AdoptSession>();
  expectTypeOf<z.input<ReturnType<typeof runs.startRunSchema>>>().toEqualTypeOf<api.StartRun>();
  expectTypeOf<
    z.input<ReturnType<typeof runs.validateWorkflowSchema>>
  >().toEqualTypeOf<api.ValidateWorkflow>();
  expectTypeOf<z.input<ReturnType<typeof runs.rerunSchema>>>().toEqualTypeOf<api.Rerun>();
  expectTypeOf<z.input<ReturnType<typeof runs.cancelRunSchema>>>().toEqualTypeOf<api.CancelRun>();
  expectTypeOf<z.input<ReturnType<typeof runs.answerItemSchema>>>().toEqualTypeOf<api.AnswerItem>();
});

test("the schemas give what the types say", () => {
  expectTypeOf<z.output<ReturnType<typeof schemas.agentSchema>>>().toEqualTypeOf<api.AgentView>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.changedAgentSchema>>
  >().toEqualTypeOf<api.ChangedAgent>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.providerSessionSchema>>
  >().toEqualTypeOf<api.ProviderSessionView>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.agentClassSchema>>
  >().toEqualTypeOf<api.AgentClassView>();
  expectTypeOf<
    z.output<ReturnType<typeof runs.workflowReportSchema>>
  >().toEqualTypeOf<api.WorkflowReport>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.turnResultSchema>>
  >().toEqualTypeOf<api.TurnResult>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.decisionSchema>>
  >().toEqualTypeOf<api.DecisionView>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.turnSummarySchema>>
  >().toEqualTypeOf<api.TurnSummary>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.sessionSchema>>
  >().toEqualTypeOf<api.SessionView>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.sessionDetailSchema>>
  >().toEqualTypeOf<api.SessionDetail>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.explanationSchema>>
  >().toEqualTypeOf<api.Explanation>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.verificationSchema>>
  >().toEqualTypeOf<api.Verification>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.readinessSchema>>
  >().toEqualTypeOf<api.Readiness>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.doctorSchema>>
  >().toEqualTypeOf<api.DoctorReport>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.providerSchema>>
  >().toEqualTypeOf<api.ProviderView>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.settingSchema>>
  >().toEqualTypeOf<api.SettingView>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.usageReportSchema>>
  >().toEqualTypeOf<api.UsageReport>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.backupReportSchema>>
  >().toEqualTypeOf<api.BackupReport>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.restoreReportSchema>>
  >().toEqualTypeOf<api.RestoreReport>();
  expectTypeOf<
    z.output<ReturnType<typeof schemas.pruneReportSchema>>
  >().toEqualTypeOf<api.PruneReport>();
  expectTypeOf<z.output<ReturnType<typeof schemas.eventSchema>>>().toEqualTypeOf<api.EventView>();
  expectTypeOf<z.output<ReturnType<typeof tokens.tokenSchema>>>().toEqualTypeOf<api.TokenView>();
  expectTypeOf<z.output<ReturnType<typeof tokens.newTokenSchema>>>().toEqualTypeOf<api.NewToken>();
  expectTypeOf<
    z.output<ReturnType<typeof protect.scanReportSchema>>
  >().toEqualTypeOf<api.ScanReport>();
  expectTypeOf<
    z.output<ReturnType<typeof protect.protectStatusSchema>>
  >().toEqualTypeOf<api.ProtectStatus>();
  expectTypeOf<
    z.output<ReturnType<typeof protect.keptSessionSchema>>
  >().toEqualTypeOf<api.KeptSessionView>();
  expectTypeOf<
    z.output<ReturnType<typeof protect.restoredSessionSchema>>
  >().toEqualTypeOf<api.RestoredSession>();
  expectTypeOf<
    z.output<ReturnType<typeof portable.createdSessionSchema>>
  >().toEqualTypeOf<api.CreatedSession>();
  expectTypeOf<
    z.output<ReturnType<typeof portable.movedSessionSchema>>
  >().toEqualTypeOf<api.MovedSession>();
  expectTypeOf<
    z.output<ReturnType<typeof portable.openedSessionSchema>>
  >().toEqualTypeOf<api.OpenedSession>();
  expectTypeOf<z.output<ReturnType<typeof runs.runPlanSchema>>>().toEqualTypeOf<api.RunPlan>();
  expectTypeOf<z.output<ReturnType<typeof runs.runSchema>>>().toEqualTypeOf<api.RunView>();
  expectTypeOf<z.output<ReturnType<typeof runs.runDetailSchema>>>().toEqualTypeOf<api.RunDetail>();
  expectTypeOf<
    z.output<ReturnType<typeof runs.executionSchema>>
  >().toEqualTypeOf<api.ExecutionView>();
  expectTypeOf<
    z.output<ReturnType<typeof runs.inboxItemSchema>>
  >().toEqualTypeOf<api.InboxItemView>();
  expectTypeOf<
    z.output<ReturnType<typeof runs.inboxDetailSchema>>
  >().toEqualTypeOf<api.InboxItemDetail>();
  expectTypeOf<
    z.output<ReturnType<typeof runs.answeredItemSchema>>
  >().toEqualTypeOf<api.AnsweredItem>();
});
