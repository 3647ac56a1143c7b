/** A value once it has stopped changing, so that the server is not asked for every letter. */

import { useEffect, useState } from "react";

const pause = 200;

export function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pause);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
