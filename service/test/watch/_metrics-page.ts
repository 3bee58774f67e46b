import { textOf } from '../spec/_pages.ts'

const ROW = /^\| `(plumbline_\w+)` +\| (\w+) +\| ([^|]*)\| ([^|]*)\|$/gm

/** The rows of the page about metrics. */
export const listedMetrics = Array.from(
  textOf('docs/metrics.md').matchAll(ROW),
  ([, name = '', type = '', labels = '', meaning = '']) => ({
    name,
    type,
    labels: Array.from(labels.matchAll(/`(\w+)`/g), ([, label = '']) => label),
    meaning: meaning.trim(),
  }),
)

/** The metrics of an expression of Prometheus; the parts of a histogram count as the histogram. */
export const metricsIn = (expression: string): string[] =>
  Array.from(expression.matchAll(/\bplumbline_\w+/g), ([name]) =>
    name.replace(/(?<=_seconds)_(?:bucket|sum|count)$/, ''),
  )
