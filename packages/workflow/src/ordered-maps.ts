/** Finds the mappings of a workflow file whose keys have an order, in either form. */

import { type Document, isMap, isSeq, type Node, type Pair, type YAMLMap } from "yaml";
import { type KeyOrder, keyOrders } from "./key-order.ts";

/** Outermost first. */
export function* orderedMaps({ contents }: Document): Iterable<[YAMLMap, KeyOrder]> {
  if (!isMap(contents)) return;
  if (contents.has("steps") && !contents.has("nodes")) {
    yield [contents, keyOrders.short];
    yield* stepMaps(partOf(contents, "steps"));
    return;
  }
  yield [contents, keyOrders.long];
  yield* mapAt(contents, "metadata", keyOrders.metadata);
  for (const [part] of mapAt(contents, "interface", keyOrders.interface)) {
    yield [part, keyOrders.interface];
    yield* portMaps(part);
  }
  for (const node of items(contents, "nodes")) {
    yield [node, keyOrders.node];
    for (const [data] of mapAt(node, "data", keyOrders.data)) {
      yield [data, keyOrders.data];
      yield* portMaps(data);
      yield* mapAt(data, "session", keyOrders.session);
      yield* mapAt(data, "fork", keyOrders.session);
      for (const dock of items(data, "dockSlots")) yield [dock, keyOrders.dock];
      for (const field of items(data, "fields")) yield [field, keyOrders.field];
    }
  }
  for (const edge of items(contents, "edges")) yield [edge, keyOrders.edge];
}

function* stepMaps(steps: unknown): Iterable<[YAMLMap, KeyOrder]> {
  if (!isMap(steps)) return;
  for (const { value: step } of steps.items as Pair<Node, Node | null>[]) {
    if (!isMap(step)) continue;
    yield [step, keyOrders.step];
    yield* mapAt(step, "session", keyOrders.session);
    yield* mapAt(step, "fork", keyOrders.session);
    yield* mapAt(step, "retry-gate", keyOrders.retryGate);
    for (const [gate] of mapAt(step, "gate", keyOrders.gate)) {
      yield [gate, keyOrders.gate];
      for (const field of items(gate, "fields")) yield [field, keyOrders.field];
    }
    for (const [loop] of mapAt(step, "loop", keyOrders.loop)) {
      yield [loop, keyOrders.loop];
      yield* stepMaps(partOf(loop, "steps"));
    }
  }
}

function* portMaps(map: YAMLMap): Iterable<[YAMLMap, KeyOrder]> {
  for (const side of ["inputs", "outputs"])
    for (const port of items(map, side)) yield [port, keyOrders.port];
}

function mapAt(map: YAMLMap, key: string, order: KeyOrder): [YAMLMap, KeyOrder][] {
  const value = partOf(map, key);
  return isMap(value) ? [[value, order]] : [];
}

function items(map: YAMLMap, key: string): YAMLMap[] {
  const list = partOf(map, key);
  return isSeq(list) ? list.items.filter((item) => isMap(item)) : [];
}

function partOf(map: YAMLMap, key: string): unknown {
  return map.get(key, true);
}
