/** What is wrong with how a page looks: found by measuring, in the browser. */

import axe from "axe-core";
import type { Page } from "playwright-core";

/** One sentence for everything that does not fit, is cut off, or lies over something else. */
export function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const faults: string[] = [];
    const name = (element: Element) =>
      `${element.tagName.toLowerCase()} "${(element.textContent ?? "").trim().slice(0, 40)}"`;
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth)
      faults.push(`the page is ${root.scrollWidth} wide, and the window ${root.clientWidth}`);

    const isShown = (element: Element) =>
      element.checkVisibility({ visibilityProperty: true }) && !element.closest(".sr-only");
    const scrolls = (style: CSSStyleDeclaration, axis: "X" | "Y") =>
      /auto|scroll/.test(style[`overflow${axis}`]);
    for (const element of document.body.querySelectorAll("*")) {
      const style = getComputedStyle(element);
      if (!isShown(element) || element.closest("svg") || style.display === "inline") continue;
      const { clientWidth, clientHeight, scrollWidth, scrollHeight } = element;
      const hides = style.overflowX !== "visible";
      if (hides && scrollWidth > clientWidth + 1 && !scrolls(style, "X"))
        faults.push(`${name(element)} is cut off at its side`);
      if (hides && scrollHeight > clientHeight + 1 && !scrolls(style, "Y"))
        faults.push(`${name(element)} is cut off below`);
      if (
        !hides &&
        element.children.length === 0 &&
        clientWidth > 0 &&
        scrollWidth > clientWidth + 1
      )
        faults.push(`${name(element)} runs out of its box`);
    }

    const controls = [...document.querySelectorAll("a, button, input, select, textarea, summary")]
      .filter(isShown)
      .flatMap((element) => [...element.getClientRects()].map((box) => ({ element, box })));
    for (const [index, one] of controls.entries())
      for (const other of controls.slice(index + 1)) {
        if (one.element.contains(other.element) || other.element.contains(one.element)) continue;
        const across =
          Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left);
        const down =
          Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top);
        if (across > 1 && down > 1)
          faults.push(`${name(one.element)} lies over ${name(other.element)}`);
      }
    return faults;
  });
}

/** What axe finds serious or worse. */
export async function accessFaults(page: Page): Promise<string[]> {
  // Not as a script element: the page's content security policy lets none in.
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: Axe }).axe.run(document, {
      resultTypes: ["violations"],
    });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  });
}

interface Axe {
  run(
    document: Document,
    options: object,
  ): Promise<{
    violations: { id: string; impact: string | null; nodes: { html: string }[] }[];
  }>;
}
