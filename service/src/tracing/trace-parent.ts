import { isSpanContextValid, type SpanContext } from '@opentelemetry/api'

const TRACE_PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** Reads the header `traceparent` of W3C; undefined where it is none. */
export function parseTraceParent(header: string | undefined): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACE_PARENT.exec(header ?? '') ?? []
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  return isSpanContextValid(context) ? context : undefined
}
