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
  test("every frame contains its nodes, and nothing else", () => {
    for (const { node: own } of drawn.boxes)
      for (const box of drawn.boxes.filter((each) => each.node !== own))
        if (box.node.parent === own.id) expect(contains(boxOf(own.id), box)).toBe(true);
    expect(contains(boxOf("outer"), boxOf("left"))).toBe(false);
  });

  test("siblings do not touch, and what follows is below", () => {
    const [left, long] = [boxOf("left"), drawn.boxes.find(({ node: { id } }) => id.length > 20)!];
    expect(left.x + left.width <= long.x || long.x + long.width <= left.x).toBe(true);
    expect(boxOf("critic").y).toBeGreaterThan(boxOf("writer").y + boxOf("writer").height);
    expect(left.y).toBeGreaterThan(boxOf("outer").y + boxOf("outer").height);
    expect(long.height).toBeGreaterThan(left.height);
  });

  test("a line that goes back stays within the frame", () => {
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

describe("P0: a line that goes back", () => {
  const names = ["plan", "left", "middle", "right", "check", "tail"];
  const wide = layout({
    nodes: [...names.map((name) => node(name)), node("frame", null, "loop"), node("in", "frame")],
    edges: [
      ...["left", "middle", "right", "frame"].map((name) => edge("plan", name)),
      ...["left", "middle", "right", "frame"].map((name) => edge(name, "check")),
      edge("check", "tail"),
      // Whatever the order in which they are placed, some of them have others to their right.
      ...["left", "middle", "right", "frame"].map((name) => edge("check", name, true)),
      ...["left", "middle", "right", "frame"].map((name) => edge(name, "plan", true)),
      edge("tail", "middle", true),
    ],
  });
  const backs = wide.lines.filter((line) => line.edge.back);

  test.each(backs.map((line) => [`${line.edge.from} to ${line.edge.to}`, line] as const))(
    "crosses no box: %s",
    (_, { points }) => {
      for (const [index, end] of points.slice(1).entries()) {
        const start = points[index]!;
        for (const box of wide.boxes) {
          const across =
            Math.min(Math.max(start.x, end.x), box.x + box.width - 1) -
            Math.max(Math.min(start.x, end.x), box.x + 1);
          const down =
            Math.min(Math.max(start.y, end.y), box.y + box.height - 1) -
            Math.max(Math.min(start.y, end.y), box.y + 1);
          expect([box.node.id, across >= 0 && down >= 0]).toEqual([box.node.id, false]);
        }
      }
    },
  );

  test("has a lane of its own, within the drawing", () => {
    const sides = backs.map(({ points }) => Math.max(...points.map(({ x }) => x)));
    expect(new Set(sides).size).toBe(backs.length);
    for (const { x, y } of backs.flatMap(({ points }) => points)) {
      expect([x >= 0, x <= wide.width]).toEqual([true, true]);
      expect([y >= 0, y <= wide.height]).toEqual([true, true]);
    }
  });
});
