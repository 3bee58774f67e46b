import { freePort, withService, type TestService } from '../_service.ts'
import { SITE } from '../_site.ts'

/** A metric as `/metrics` shows it; `labels` are the sets of names that its lines have. */
export type ShownMetric = { type: string; labels: string[][] }

/** Metrics by name, read from the text format of Prometheus. */
export function parseMetrics(text: string): Map<string, ShownMetric> {
  const metrics = new Map<string, ShownMetric>()
  let current: ShownMetric = { type: '', labels: [] }
  for (const line of text.split('\n')) {
    const [, name = '', type = ''] = /^# TYPE (\w+) (\w+)$/.exec(line) ?? []
    if (name !== '') metrics.set(name, (current = { type, labels: [] }))
    else if (line !== '' && !line.startsWith('#')) current.labels.push(labelsOf(line))
  }
  return metrics
}

/** The names of the labels of a line; `le` belongs to every histogram. */
const labelsOf = (line: string): string[] =>
  Array.from(line.matchAll(/(?<=[{,])(\w+)="/g), ([, name = '']) => name).filter(
    (name) => name !== 'le',
  )

type Watched = AsyncDisposable & {
  service: TestService
  /** Host and port for operators. */
  operators: string
  /** Gets a path of the port for operators. */
  ask(path: string): Promise<Response>
}

/** Starts a service with a port for operators. */
export async function withWatched(
  options: Parameters<typeof withService>[0] = {},
): Promise<Watched> {
  const port = await freePort()
  const operators = `127.0.0.1:${port}`
  const service = await withService({
    site: SITE,
    ...options,
    settings: { ...options.settings, 'ops.port': port },
  })
  return {
    service,
    operators,
    ask: (path) => fetch(`http://${operators}${path}`),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
}
