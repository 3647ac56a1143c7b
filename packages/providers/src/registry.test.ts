import { drivenRunners, providerOfRunner } from "@reprise/core/workflow/runners";
import { expect, test } from "vitest";
import { providerNames } from "./registry.ts";

test("the runners that workflows are told to be driven are those that have a provider", () => {
  expect(drivenRunners.map(providerOfRunner).toSorted()).toEqual(providerNames.toSorted());
});
