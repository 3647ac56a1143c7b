/** Numbers about the server, in the text format of Prometheus. */

const buckets = [0.005, 0.02, 0.1, 0.5, 2, 10, 60];

interface Series {
  count: number;
  sum: number;
  /** Requests that took at most the time in `buckets` at the same index. */
  readonly within: number[];
}

export class Metrics {
  readonly #requests = new Map<string, number>();
  readonly #durations = new Map<string, Series>();

  /** `route` is a name of ours, never text from the client. */
  count(request: { route: string; status: number; seconds: number }): void {
    const { route, status, seconds } = request;
    const labels = `route="${route}",status="${status}"`;
    this.#requests.set(labels, (this.#requests.get(labels) ?? 0) + 1);
    const series = this.#durations.get(route) ?? { count: 0, sum: 0, within: buckets.map(() => 0) };
    series.count += 1;
    series.sum += seconds;
    buckets.forEach((bound, index) => {
      if (seconds <= bound) series.within[index] = (series.within[index] ?? 0) + 1;
    });
    this.#durations.set(route, series);
  }

  text(gauges: Readonly<Record<string, { about: string; value: number }>>): string {
    const lines = [
      ...head("reprise_http_requests_total", "counter", "Requests that were answered."),
      ...[...this.#requests].map(
        ([labels, count]) => `reprise_http_requests_total{${labels}} ${count}`,
      ),
      ...head("reprise_http_request_seconds", "histogram", "Time until the answer began."),
      ...[...this.#durations].flatMap(([route, series]) => histogram(route, series)),
      ...Object.entries(gauges).flatMap(([name, { about, value }]) => [
        ...head(`reprise_${name}`, "gauge", about),
        `reprise_${name} ${value}`,
      ]),
    ];
    return `${lines.join("\n")}\n`;
  }
}

function head(name: string, type: string, about: string): string[] {
  return [`# HELP ${name} ${about}`, `# TYPE ${name} ${type}`];
}

function histogram(route: string, { count, sum, within }: Series): string[] {
  const name = "reprise_http_request_seconds";
  return [
    ...buckets.map(
      (bound, index) => `${name}_bucket{route="${route}",le="${bound}"} ${within[index]}`,
    ),
    `${name}_bucket{route="${route}",le="+Inf"} ${count}`,
    `${name}_sum{route="${route}"} ${sum}`,
    `${name}_count{route="${route}"} ${count}`,
  ];
}
