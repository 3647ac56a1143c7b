/** A vitest reporter that collects how every test ended, over several runs. */

import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

export interface TestOutcome {
  /** The group in which it ran; some tests are in two. */
  readonly group: string;
  readonly file: string;
  /** The titles of the suites around the test and its own, outermost first. */
  readonly titles: readonly string[];
  readonly state: "passed" | "failed" | "skipped";
  /** Why it was skipped, or how it failed. */
  readonly reason?: string;
}

export class Outcomes implements Reporter {
  readonly all: TestOutcome[] = [];

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    for (const module of modules) {
      this.all.push(...brokenSuites(module), ...[...module.children.allTests()].map(outcomeOf));
    }
    for (const _ of unhandled) {
      this.all.push({
        group: "",
        file: "",
        titles: ["an error outside of any test"],
        state: "failed",
      });
    }
  }
}

function outcomeOf(test: TestCase): TestOutcome {
  const place = placeOf(test);
  const result = test.result();
  if (result.state === "passed") return { ...place, state: "passed" };
  if (result.state !== "skipped") {
    const reason = result.errors?.[0]?.message?.split("\n", 1)[0];
    return { ...place, state: "failed", ...(reason && { reason }) };
  }
  const reason = result.note ?? /\(skipped: (.+)\)$/.exec(test.name)?.[1];
  if (reason !== undefined) return { ...place, state: "skipped", reason };
  const titles = [...place.titles, "neither run nor skipped with a reason"];
  return { ...place, titles, state: "failed" };
}

/** A file that cannot be loaded, or a hook that failed, has its own error and perhaps no test. */
function brokenSuites(module: TestModule): TestOutcome[] {
  return [module, ...module.children.allSuites()]
    .filter((suite) => suite.errors().length > 0)
    .map((suite) => ({ ...placeOf(suite), state: "failed" }));
}

function placeOf(
  task: TestCase | TestSuite | TestModule,
): Pick<TestOutcome, "group" | "file" | "titles"> {
  if (task.type === "module")
    return { group: task.project.name, file: task.relativeModuleId, titles: [] };
  const { titles, ...place } = placeOf(task.parent);
  return { ...place, titles: [...titles, task.name] };
}
