/** A line through points as the `d` of an SVG path, its corners rounded. */

interface Point {
  readonly x: number;
  readonly y: number;
}

const radius = 8;

export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return "";
  const parts = rest.map((point, index) => {
    const next = rest[index + 1];
    if (!next) return `L ${point.x} ${point.y}`;
    const before = towards(point, points[index]!);
    const after = towards(point, next);
    return `L ${before.x} ${before.y} Q ${point.x} ${point.y} ${after.x} ${after.y}`;
  });
  return [`M ${first.x} ${first.y}`, ...parts].join(" ");
}

/** The point where the rounding of a corner begins. */
function towards(corner: Point, other: Point): Point {
  const [dx, dy] = [other.x - corner.x, other.y - corner.y];
  const length = Math.hypot(dx, dy) || 1;
  const share = Math.min(radius, length / 2) / length;
  return { x: corner.x + dx * share, y: corner.y + dy * share };
}
