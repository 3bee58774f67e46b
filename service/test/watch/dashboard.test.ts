import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { filesIn, textOf } from '../spec/_pages.ts'
import { DASHBOARD, expressions, panels } from './_dashboard.ts'
import { listedMetrics, metricsIn } from './_metrics-page.ts'

const labelsByMetric = new Map(listedMetrics.map(({ name, labels }) => [name, labels]))

describe('the dashboard', () => {
  test('knows only metrics that exist, with labels that they have', () => {
    const unknown = expressions.flatMap((expression) =>
      metricsIn(expression)
        .filter((name) => !labelsByMetric.has(name))
        .map((name) => `${name} in ${expression}`),
    )
    const wrongLabels = expressions.flatMap((expression) => {
      const known = new Set(['job', 'instance', 'le', ...metricsIn(expression).flatMap(labelsOf)])
      return labelsIn(expression)
        .filter((label) => !known.has(label))
        .map((label) => `${label} in ${expression}`)
    })

    assert.ok(expressions.length > 50)
    assert.deepEqual([...unknown, ...wrongLabels], [])
  })

  test('shows every metric of the service itself', () => {
    const shown = new Set(expressions.flatMap(metricsIn))
    const own = listedMetrics.filter(
      ({ name }) => !/^plumbline_(process|nodejs|worker)_/.test(name),
    )

    assert.deepEqual(
      own.map(({ name }) => name).filter((name) => !shown.has(name)),
      [],
    )
  })

  test('has panels with titles, sentences and queries, which do not overlap', () => {
    const taken = new Set<string>()
    for (const { title, type, description, targets, gridPos } of panels) {
      assert.ok(title, JSON.stringify(gridPos))
      assert.ok(gridPos.x + gridPos.w <= 24, title)
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
          assert.ok(!taken.has(`${x} ${y}`), `${title} covers another panel`)
          taken.add(`${x} ${y}`)
        }
      if (type === 'row') continue
      assert.match(description ?? '', /\.$/, title)
      const letters = (targets ?? []).map(({ refId }) => refId)
      assert.ok(letters.length > 0 && new Set(letters).size === letters.length, title)
    }
    const ids = panels.map(({ id }) => id)
    assert.equal(new Set(ids).size, ids.length)
  })

  test('asks the data source that is chosen, of which the provisioned one is the first', () => {
    const sources = new Set(
      panels.flatMap(({ datasource }) => (datasource === undefined ? [] : [datasource.uid])),
    )
    const { datasources } = parse(
      textOf('deploy/grafana/provisioning/datasources/plumbline.yaml'),
    ) as { datasources: { uid: string; type: string }[] }
    const [variable, ...others] = DASHBOARD.templating.list

    assert.deepEqual([...sources], ['${datasource}'])
    assert.deepEqual(
      [variable?.name, variable?.query, variable?.current.value],
      ['datasource', datasources[0]?.type, datasources[0]?.uid],
    )
    assert.deepEqual(
      others.map(({ name }) => name),
      ['job', 'instance'],
    )
  })

  test('lies where the provisioning finds it', () => {
    const { providers } = parse(
      textOf('deploy/grafana/provisioning/dashboards/plumbline.yaml'),
    ) as { providers: { type: string; options: { path: string } }[] }

    assert.deepEqual(filesIn('deploy/grafana/dashboards/*.json'), [
      'deploy/grafana/dashboards/plumbline.json',
    ])
    assert.deepEqual(
      providers.map(({ type, options }) => [type, options.path]),
      [['file', '/var/lib/grafana/dashboards/plumbline']],
    )
    assert.ok(textOf('docs/watching.md').includes('/var/lib/grafana/dashboards/plumbline'))
  })
})

const labelsOf = (metric: string): string[] => labelsByMetric.get(metric) ?? []

/** The labels that an expression selects or groups by. */
const labelsIn = (expression: string): string[] => [
  ...Array.from(expression.matchAll(/[{,](\w+)=/g), ([, label = '']) => label),
  ...Array.from(expression.matchAll(/\bby \(([^)]*)\)/g), ([, list = '']) =>
    list.split(', '),
  ).flat(),
]
