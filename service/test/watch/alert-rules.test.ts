import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { needCommand } from '../_debian.ts'
import { readPages, ROOT, textOf } from '../spec/_pages.ts'
import { listedMetrics, metricsIn } from './_metrics-page.ts'
import { HEALTHY, MINUTES, RULE_CASES, type RuleCase } from './_rule-cases.ts'

type Rule = {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: { summary: string; description: string; page: string }
}

const RULES = 'deploy/prometheus/plumbline.rules.yaml'

const { groups }: { groups: { rules: Rule[] }[] } = parse(textOf(RULES))
const rules = groups.flatMap((group) => group.rules)

const run = promisify(execFile)

const promtool = (...args: string[]) => run('promtool', args, { cwd: ROOT })

before(() => needCommand('promtool', '--no-install-recommends', 'prometheus'))

test('promtool accepts the rules and the sample of a configuration', async () => {
  await promtool('check', 'rules', '--lint-fatal', RULES)
  await promtool('check', 'config', 'deploy/prometheus/prometheus.yaml')
})

test('each alert fires for its own reason only, and not before its time; a healthy site is silent', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-rules-'))
  const file = join(folder, 'rules.test.json')
  const everyHour = Array.from({ length: MINUTES / 60 }, (_, hour) => firing({ at: hour * 60 }, []))
  const tests = [group({}, everyHour), ...inBatches().map(batchTest)]
  await writeFile(
    file,
    JSON.stringify({ rule_files: [join(ROOT, RULES)], evaluation_interval: '1m', tests }),
  )

  const { stdout } = await promtool('test', 'rules', file)

  assert.match(stdout, /SUCCESS/)
  assert.deepEqual(
    RULE_CASES.map(({ alert }) => alert),
    rules.map(({ alert }) => alert),
  )
})

/** A deep run takes each case alone; evaluation takes long, so a short one takes them in five batches. */
function inBatches(): RuleCase[][] {
  const batches = process.env['TEST_DEEP'] === undefined ? 5 : RULE_CASES.length
  return Array.from({ length: batches }, (_, batch) =>
    RULE_CASES.filter((_case, at) => at % batches === batch),
  )
}

/** Each alert of a batch fires in its time, and no other one ever does. */
function batchTest(batch: readonly RuleCase[]): object {
  const when = Object.assign({}, ...batch.map((one) => one.when))
  const end = Math.max(...batch.map(({ firesAt }) => firesAt))
  return group(when, [
    ...batch.flatMap(({ alert, firesAt, silentAt }) => [
      firing({ at: silentAt, only: alert }, []),
      firing({ at: firesAt, only: alert }, [alert]),
    ]),
    firing(
      { at: end, within: `[${end}m]` },
      batch.map(({ alert }) => alert),
    ),
  ])
}

const group = (when: Record<string, string>, checks: object[]): object => ({
  interval: '1m',
  input_series: Object.entries({ ...HEALTHY, ...when }).map(([series, values]) => ({
    series,
    values,
  })),
  promql_expr_test: checks,
})

/** The names of the alerts that fire at a minute, or have fired within a time before it. */
function firing(
  { at, only, within }: { at: number; only?: string; within?: string },
  names: readonly string[],
): object {
  const alerts = `ALERTS{alertstate="firing"${only === undefined ? '' : `,alertname="${only}"`}}`
  const lasting = within === undefined ? alerts : `max_over_time(${alerts}${within})`
  return {
    expr: `group by (alertname) (${lasting})`,
    eval_time: `${at}m`,
    exp_samples: names.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
  }
}

test('each alert has sentences, a severity and a section of the page about symptoms', () => {
  const page = readPages().find(({ path }) => path === 'docs/troubleshooting.md')
  for (const { alert, labels, annotations } of rules) {
    const { summary, description, page: where } = annotations
    assert.match(labels.severity, /^(critical|warning)$/, alert)
    for (const sentence of [summary, description]) assert.match(sentence, /\.$/, alert)
    const [path, heading = ''] = where.split('#')
    assert.equal(path, 'docs/troubleshooting.md', alert)
    assert.ok(page?.headings.includes(heading), `${alert} leads to ${where}`)
  }
})

test('rules know only metrics that exist', () => {
  const listed = new Set(listedMetrics.map(({ name }) => name))
  const unknown = rules.flatMap(({ alert, expr }) =>
    metricsIn(expr)
      .filter((name) => !listed.has(name))
      .map((name) => `${alert}: ${name}`),
  )

  assert.deepEqual(unknown, [])
})
