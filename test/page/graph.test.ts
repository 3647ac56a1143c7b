/** The graph of a run: lines that cover no label, and large graphs that can be used. */

import { expect, test } from "vitest";
import { accessFaults, layoutFaults } from "./looks.ts";
import { Visit } from "./visit.ts";

const checks = ["lint", "tests", "types", "docs"];

/** The judge's verdict goes back to the coder, past the checks between them. */
const judged = `
name: Judged
steps:
  rounds:
    loop:
      until: judge.enough
      max: 2
      steps:
        coder: { inputs: { last: judge.enough }, function: 'return { n: 1 };', returns: { n: number } }
${checks.map((name) => `        ${name}: { inputs: { n: coder.n }, function: 'return { ok: true };', returns: { ok: boolean } }`).join("\n")}
        judge:
          inputs: { ${checks.map((name) => `${name}: ${name}.ok`).join(", ")} }
          function: 'return { enough: true };'
          returns: { enough: boolean }
  commit: { needs: rounds, shell: "true" }
`;

test("P0: a line that goes back crosses no other node", async (context) => {
  await using visit = await Visit.begin(context);
  const { server, page } = visit;
  await server.startRun("r1", judged);
  await visit.enter("/runs/r1");
  await visit.see(page.locator("[data-node=commit][data-status=done]"));
  const crossed = await page.locator("path[data-back]").evaluateAll((paths) =>
    (paths as SVGPathElement[]).map((path) => {
      const ends = path.dataset.edge?.split(" ") ?? [];
      const toScreen = path.getScreenCTM()!;
      const nodes = [...document.querySelectorAll<HTMLElement>("[data-node]")]
        .filter(({ dataset }) => !ends.includes(dataset.node ?? ""))
        .map((node) => ({ name: node.dataset.node, box: node.getBoundingClientRect() }));
      const found = new Set<string | undefined>();
      for (let at = 0; at <= path.getTotalLength(); at += 1) {
        const { x, y } = path.getPointAtLength(at).matrixTransform(toScreen);
        for (const { name, box } of nodes)
          if (x > box.left && x < box.right && y > box.top && y < box.bottom) found.add(name);
      }
      return [ends.join(" "), ...found];
    }),
  );
  expect(crossed).toEqual([["judge coder"]]);
});

/** Ten ranks of six. */
function wide(): string {
  const steps = Array.from({ length: 60 }, (_, index) => {
    const [rank, column] = [Math.floor(index / 6), index % 6];
    const needs = rank === 0 ? "" : `needs: n${rank - 1}-${column}, `;
    return `  n${rank}-${column}: { ${needs}shell: "true" }`;
  });
  return ["name: Wide", "steps:", ...steps].join("\n");
}

test("P0: a graph of 60 nodes is fitted, zoomed, dragged and used", async (context) => {
  await using visit = await Visit.begin(context, { width: 1440, height: 900 });
  const { server, page } = visit;
  await server.startRun("r1", wide());
  await visit.enter("/runs/r1");
  const nodes = page.locator("[data-node]");
  await visit.see(nodes.nth(59));
  const graph = page.getByRole("region", { name: "Graph" });
  const seen = () =>
    graph.evaluate((region) => {
      const window = region.getBoundingClientRect();
      return [...region.querySelectorAll("[data-node]")].filter((node) => {
        const box = node.getBoundingClientRect();
        return (
          box.left >= window.left &&
          box.right <= window.right &&
          box.top >= window.top &&
          box.bottom <= window.bottom
        );
      }).length;
    });
  // Readable from the start, and more than a few of them.
  expect(await seen()).toBeGreaterThanOrEqual(24);
  await visit.button("Fit").click();
  await expect.poll(seen).toBe(60);
  expect(await layoutFaults(page)).toEqual([]);
  expect(await accessFaults(page)).toEqual([]);

  const width = async () => (await nodes.first().boundingBox())?.width ?? 0;
  const fitted = await width();
  for (let step = 0; step < 4; step += 1) await visit.button("Zoom in").click();
  await expect.poll(width).toBeGreaterThan(fitted * 2);
  const place = () => graph.evaluate(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]);
  const [left = 0, top = 0] = await place();
  const box = (await graph.boundingBox())!;
  await page.mouse.move(box.x + 6, box.y + 6);
  await page.mouse.down();
  await page.mouse.move(box.x + 46, box.y + 56);
  await page.mouse.up();
  expect(await place()).toEqual([left - 40, top - 50]);

  // A link to a node brings it into view.
  await visit.open("/runs/r1?node=n9-5");
  await visit.see(page.locator("[data-node=n9-5][aria-pressed=true]"));
  await expect.poll(() => page.locator("[data-node=n9-5]").boundingBox()).not.toBeNull();
  const last = (await page.locator("[data-node=n9-5]").boundingBox())!;
  const region = (await graph.boundingBox())!;
  expect(last.y + last.height).toBeLessThanOrEqual(region.y + region.height);
});

test("on a telephone a tapped node brings its panel into view", async (context) => {
  await using visit = await Visit.begin(context, { width: 390, height: 700 });
  const { server, page } = visit;
  await server.startRun("r1", judged);
  await visit.enter("/runs/r1");
  await page.locator("[data-node=commit][data-status=done]").click();
  const panel = page.getByRole("region", { name: "commit" });
  await visit.see(panel);
  await expect
    .poll(() => panel.evaluate((region) => region.getBoundingClientRect().top < innerHeight - 100))
    .toBe(true);
});
