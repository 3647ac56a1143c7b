import { describe, expect, test } from "vitest";
import { type Box, layout } from "./layout.ts";

const node = (id: string, parent: string | null = null, type = "agent") => ({
  id,
  label: id,
  type,
  parent,
  about: type,
  implied: [],
});
const edge = (from: string, to: string, back = false) => ({ from, to, label: "", back });

const drawn = layout({
  nodes: [
    node("outer", null, "loop"),
    node("inner", "outer", "loop"),
    node("writer", "inner"),
    node("critic", "inner"),
    node("judge", "outer"),
    node("left"),
    node("a node with a label that is long enough for two lines"),
  ],
  edges: [
    edge("writer", "critic"),
    edge("critic", "writer", true),
    edge("inner", "judge"),
    edge("judge", "outer"),
    edge("outer", "left"),
    edge("outer", "a node with a label that is long enough for two lines"),
  ],
});
const boxOf = (id: string) => drawn.boxes.find((box) => box.node.id === id)!;

function contains(outer: Box, inner: Box): boolean {
  return (
    outer.x <= inner.x &&
    outer.y <= inner.y &&
    outer.x + outer.width >= inner.x + inner.width &&
    outer.y + outer.height >= inner.y + inner.height
  );
}

describe("a graph with a loop in a loop", () => {
  test("every frame holds what stands in it, and nothing else", () => {
    for (const { node: own } of drawn.boxes)
      for (const box of drawn.boxes.filter((each) => each.node !== own))
        if (box.node.parent === own.id) expect(contains(boxOf(own.id), box)).toBe(true);
    expect(contains(boxOf("outer"), boxOf("left"))).toBe(false);
  });

  test("brothers do not touch, and what follows stands below", () => {
    const [left, long] = [boxOf("left"), drawn.boxes.find(({ node: { id } }) => id.length > 20)!];
    expect(left.x + left.width <= long.x || long.x + long.width <= left.x).toBe(true);
    expect(boxOf("critic").y).toBeGreaterThan(boxOf("writer").y + boxOf("writer").height);
    expect(left.y).toBeGreaterThan(boxOf("outer").y + boxOf("outer").height);
    expect(long.height).toBeGreaterThan(left.height);
  });

  test("what comes back goes around, within the frame", () => {
    const back = drawn.lines.find((line) => line.edge.back)!;
    const side = Math.max(...back.points.map(({ x }) => x));
    const { x, width } = boxOf("writer");
    expect(side).toBeGreaterThan(x + width);
    expect(side).toBeLessThan(boxOf("inner").x + boxOf("inner").width);
    expect(drawn.lines.map((line) => `${line.edge.from}>${line.edge.to}`)).not.toContain(
      "judge>outer",
    );
  });
});
