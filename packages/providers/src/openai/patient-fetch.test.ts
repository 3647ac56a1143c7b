import { expect, test } from "vitest";
import { patientAgent } from "./patient-fetch.ts";

test("this Node has an agent that can be made without time-outs", async () => {
  expect(await patientAgent()).toMatchObject({ dispatch: expect.any(Function) });
});
