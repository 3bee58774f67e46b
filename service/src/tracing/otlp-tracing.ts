import { AsyncLocalStorage } from 'node:async_hooks'
import { hostname } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Tracer,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type SpanExporter,
} from '@opentelemetry/sdk-trace'
import { FailureLog } from '../background/failure-log.ts'
import { parseTraceParent } from './trace-parent.ts'
import type { RequestEnd, SpanAttributes, Tracing } from './tracing.ts'

/** Spans that wait to be sent at most; further ones are lost. */
const WAITING_SPANS = 2048

const EVERY_MILLISECONDS = 2_000
/** A connection under way keeps the process for so long. */
const SEND_MILLISECONDS = 2_000
/** A stop waits so long for the last spans. */
const LAST_MILLISECONDS = 1_000

const FIRST_SERVER_ERROR = 500

type OtlpTracingOptions = {
  /** Where spans are sent, such as `http://localhost:4318/v1/traces`. */
  url: string
  headers: Record<string, string>
  /** The part of the traces that begin here and are recorded. */
  share: number
  /** The version of the program. */
  version: string
  log: { warn(sentence: string): void; info(sentence: string): void }
}

/** Sends spans by OTLP over HTTP, in batches; a receiver that is away or slow costs only spans. */
export class OtlpTracing implements Tracing {
  readonly #provider: TracerProvider
  readonly #tracer: Tracer
  readonly #current = new AsyncLocalStorage<Context>()

  constructor({ url, headers, share, version, log }: OtlpTracingOptions) {
    const exporter = new OTLPTraceExporter({ url, headers, timeoutMillis: SEND_MILLISECONDS })
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({
        'service.name': 'plumbline',
        'service.version': version,
        'service.instance.id': `${hostname()}:${process.pid}`,
        'host.name': hostname(),
        'process.pid': process.pid,
      }),
      sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
      spanProcessors: [
        new BatchSpanProcessor({
          exporter: logFailures(exporter, log),
          maxQueueSize: WAITING_SPANS,
          scheduledDelayMillis: EVERY_MILLISECONDS,
          exportTimeoutMillis: 2 * SEND_MILLISECONDS,
        }),
      ],
    })
    this.#tracer = this.#provider.getTracer('plumbline')
  }

  span<Result>(
    name: string,
    work: () => Promise<Result>,
    attributes: SpanAttributes = {},
  ): Promise<Result> {
    const context = this.#current.getStore() ?? ROOT_CONTEXT
    const span = this.#tracer.startSpan(name, { attributes }, context)
    return this.#current.run(trace.setSpan(context, span), async () => {
      try {
        return await work()
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR })
        // Messages of errors may quote what was sent.
        span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
        throw error
      } finally {
        span.end()
      }
    })
  }

  request(parent: string | undefined, work: (end: (ended: RequestEnd) => void) => void): void {
    const remote = parseTraceParent(parent)
    const context = remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote)
    const span = this.#tracer.startSpan('request', { kind: SpanKind.SERVER }, context)
    const end = ({ method, route, status }: RequestEnd): void => {
      span.updateName(`${method} ${route}`)
      span.setAttributes({
        'http.request.method': method,
        'http.route': route,
        'http.response.status_code': status,
      })
      if (status >= FIRST_SERVER_ERROR) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    }
    this.#current.run(trace.setSpan(context, span), () => work(end))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const last = new AbortController()
    await Promise.race([
      this.#provider.shutdown().catch(() => {}),
      wait(LAST_MILLISECONDS, undefined, { signal: last.signal }).catch(() => {}),
    ])
    last.abort()
  }
}

/** Logs that spans are not taken, once a minute, and that they are taken again. */
function logFailures(exporter: SpanExporter, log: OtlpTracingOptions['log']): SpanExporter {
  const failures = new FailureLog({
    warn: (sentence) => log.warn(sentence),
    inform: (sentence) => log.info(sentence),
  })
  return {
    export: (spans, done) =>
      exporter.export(spans, ({ code, error }) => {
        if (error === undefined) failures.succeed('Traces are sent again.')
        else failures.fail(`Traces could not be sent (${causeOf(error)}); their spans are lost.`)
        done({ code })
      }),
    shutdown: () => exporter.shutdown(),
  }
}

/** The status or code of a failure: its message may have what the receiver sent. */
function causeOf(error: Error): string {
  const code: unknown = 'code' in error ? error.code : undefined
  return typeof code === 'number' ? `status ${code}` : String(code ?? error.name)
}
