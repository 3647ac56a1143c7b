/** A vitest reporter that collects how every test ended, over several runs. */

import type { Reporter, TestCase, TestModule, TestSuite } from "vitest/node";

export interface TestOutcome {
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
      this.all.push({ file: "", titles: ["an error outside of any test"], state: "failed" });
    }
  }
}

function outcomeOf(test: TestCase): TestOutcome {
  const { file, titles } = placeOf(test);
  const result = test.result();
  if (result.state === "passed") return { file, titles, state: "passed" };
  if (result.state !== "skipped") {
    const reason = result.errors?.[0]?.message?.split("\n", 1)[0];
    return { file, titles, state: "failed", ...(reason && { reason }) };
  }
  const reason = result.note ?? /\(skipped: (.+)\)$/.exec(test.name)?.[1];
  if (reason !== undefined) return { file, titles, state: "skipped", reason };
  return { file, titles: [...titles, "neither run nor skipped with a reason"], state: "failed" };
}

/** A file that cannot be loaded, or a hook that failed, has its own error and perhaps no test. */
function brokenSuites(module: TestModule): TestOutcome[] {
  return [module, ...module.children.allSuites()]
    .filter((suite) => suite.errors().length > 0)
    .map((suite) => ({ ...placeOf(suite), state: "failed" }));
}

function placeOf(task: TestCase | TestSuite | TestModule): Pick<TestOutcome, "file" | "titles"> {
  if (task.type === "module") return { file: task.relativeModuleId, titles: [] };
  const { file, titles } = placeOf(task.parent);
  return { file, titles: [...titles, task.name] };
}
