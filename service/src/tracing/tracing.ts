/** What a span says beside its name: names and counts, never what was sent. */
export type SpanAttributes = Readonly<Record<string, string | number>>

/** How a request ended; the route is the path of its operation, never the URL. */
export type RequestEnd = { method: string; route: string; status: number }

/** Records what the service does as spans, and sends them to a receiver. */
export interface Tracing extends AsyncDisposable {
  /** Does work as a span within the one under way. */
  span<Result>(
    name: string,
    work: () => Promise<Result>,
    attributes?: SpanAttributes,
  ): Promise<Result>

  /**
   * Begins the span of a request, within the trace of its `parent` (the header `traceparent`); `work` runs
   * in it, until `end` is called.
   */
  request(parent: string | undefined, work: (end: (ended: RequestEnd) => void) => void): void
}
