/** A part of Reprise whose every call is seen before it is made, and again when it has returned. */

/** Called before; what it returns is called afterwards. */
export type Watch = (call: string, input: readonly unknown[]) => () => void;

export function watched<Part extends object>(part: Part, name: string, watch: Watch): Part {
  return new Proxy(part, {
    get(target, property) {
      const method = Reflect.get(target, property);
      // Waiting for others has no effect, and no two runs of a test wait equally often.
      if (typeof method !== "function" || property === "changes") return method;
      return (...input: unknown[]) => {
        const seen = watch(`${name}.${String(property)}`, input);
        const output = method.apply(target, input);
        // A path that is only named is not to be waited for.
        if (!(output instanceof Promise)) {
          seen();
          return output;
        }
        return output.then((value) => {
          seen();
          return value;
        });
      };
    },
  });
}
