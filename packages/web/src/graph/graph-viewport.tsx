/** The window onto a graph: zoomed by buttons, keys or the wheel with Ctrl, moved by dragging or scrolling. */

import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from "react";
import { Button } from "../parts/button.tsx";

interface GraphViewportProps {
  readonly width: number;
  readonly height: number;
  /** What should be in view, in the graph's own units. */
  readonly focus: { readonly x: number; readonly y: number } | null;
  readonly children: ReactNode;
}

const minScale = 0.1;
const maxScale = 2;
/** Below it labels cannot be read, so a larger graph starts cut off, with the focus in view. */
const readable = 0.65;
/** As a part of the window's height. */
const maxShare = 0.7;
const padding = 16;

const clamp = (scale: number) => Math.min(maxScale, Math.max(minScale, scale));

export function GraphViewport({ width, height, focus, children }: GraphViewportProps) {
  const box = useRef<HTMLElement>(null);
  const [chosen, setChosen] = useState<number | "fit" | null>(null);
  const room = useRoom(box);
  const fit = clamp(Math.min(1, room.width / width, room.height / height));
  const scale = chosen === "fit" ? fit : (chosen ?? Math.max(fit, readable));
  const zoom = (by: number) => setChosen(clamp(scale * by));
  useSteadyCentre(box, scale);
  useWheelZoom(box, zoom);
  const [x, y] = [focus?.x, focus?.y];
  useLayoutEffect(() => {
    const element = box.current;
    if (!element || x === undefined || y === undefined || room.width === 0) return;
    const isSeen = (at: number, start: number, size: number) => at > start && at < start + size;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
    if (isSeen(x * scale, scrollLeft, clientWidth) && isSeen(y * scale, scrollTop, clientHeight))
      return;
    element.scrollTo(x * scale - clientWidth / 2, y * scale - clientHeight / 2);
  }, [x, y, room.width, scale]);
  return (
    <div className="min-w-0 space-y-2">
      <div role="toolbar" aria-label="Zoom" className="flex flex-wrap items-center gap-1.5">
        <Button aria-label="Zoom out" onClick={() => zoom(1 / 1.25)}>
          −
        </Button>
        <Button aria-label="Zoom in" onClick={() => zoom(1.25)}>
          +
        </Button>
        <Button aria-pressed={chosen === "fit"} onClick={() => setChosen("fit")}>
          Fit
        </Button>
        <span className="px-1 text-xs text-muted tabular-nums">{Math.round(scale * 100)} %</span>
      </div>
      <section
        ref={box}
        aria-label="Graph"
        // A graph that is cut off is scrolled with the keyboard.
        tabIndex={0}
        onKeyDown={(event) => {
          if (event.key === "+") zoom(1.25);
          else if (event.key === "-") zoom(1 / 1.25);
          else if (event.key === "0") setChosen("fit");
        }}
        onPointerDown={startDragging}
        onPointerMove={drag}
        className="max-h-[70vh] cursor-grab overflow-auto rounded-lg border border-line bg-page p-2 active:cursor-grabbing"
      >
        <div className="relative mx-auto" style={{ width: width * scale, height: height * scale }}>
          <div
            className="absolute top-0 left-0 origin-top-left"
            style={{ width, height, transform: `scale(${scale})` }}
          >
            {children}
          </div>
        </div>
      </section>
    </div>
  );
}

function useRoom(box: React.RefObject<HTMLElement | null>) {
  const [room, setRoom] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () =>
      setRoom({
        width: element.clientWidth - padding,
        height: window.innerHeight * maxShare - padding,
      });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [box]);
  return room;
}

/** What is in the middle stays there when the scale changes. */
function useSteadyCentre(box: React.RefObject<HTMLElement | null>, scale: number): void {
  const before = useRef(scale);
  useLayoutEffect(() => {
    const element = box.current;
    const factor = scale / before.current;
    before.current = scale;
    if (!element || factor === 1) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = element;
    element.scrollTo(
      (scrollLeft + clientWidth / 2) * factor - clientWidth / 2,
      (scrollTop + clientHeight / 2) * factor - clientHeight / 2,
    );
  }, [box, scale]);
}

function useWheelZoom(box: React.RefObject<HTMLElement | null>, zoom: (by: number) => void): void {
  useEffect(() => {
    const element = box.current;
    const turn = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.1 : 1 / 1.1);
    };
    // React's own listener is passive and cannot keep the browser from zooming the page.
    element?.addEventListener("wheel", turn, { passive: false });
    return () => element?.removeEventListener("wheel", turn);
  });
}

/** A finger scrolls by itself, and a node is clicked. */
function startDragging(event: React.PointerEvent<HTMLElement>): void {
  const isOnNode = (event.target as Element).closest("button") !== null;
  if (event.pointerType === "mouse" && event.button === 0 && !isOnNode)
    event.currentTarget.setPointerCapture(event.pointerId);
}

function drag(event: React.PointerEvent<HTMLElement>): void {
  if (event.currentTarget.hasPointerCapture(event.pointerId))
    event.currentTarget.scrollBy(-event.movementX, -event.movementY);
}
