import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { needCommand } from '../_debian.ts'
import { eventually } from '../_eventually.ts'
import { freePort } from '../_service.ts'
import { ROOT, textOf } from '../spec/_pages.ts'
import { expressions } from './_dashboard.ts'
import { withWatched } from './_metrics.ts'

before(() => needCommand('prometheus', '--no-install-recommends', 'prometheus'))

test('a Prometheus that scrapes the service evaluates every rule and every query of the dashboard', async () => {
  await using stack = new AsyncDisposableStack()
  const watched = stack.use(await withWatched())
  const { service } = watched
  const key = await service.createKey()
  await service.ingest('theme', key, { records: [] })
  const ask = await startPrometheus(stack, watched.operators)

  await eventually(async () => {
    const { result } = await ask('query', 'rate(plumbline_http_requests_total[1m])')
    assert.notDeepEqual(result, [])
  })

  const empty = []
  for (const expression of expressions) {
    const query = expression.replaceAll('$job', 'plumbline').replaceAll('$instance', '.*')
    const { result } = await ask('query', query)
    if (result.length === 0) empty.push(expression)
  }
  // Folders, cameras, channels and the like, which this service has not.
  assert.ok(empty.length < expressions.length / 3, empty.join('\n'))
  await eventually(async () => {
    const { groups } = await ask('rules')
    const rules = groups.flatMap((group) => group.rules)
    assert.ok(rules.length > 20)
    assert.deepEqual(
      rules.filter(({ health }) => health !== 'ok').map(({ name, lastError }) => [name, lastError]),
      [],
    )
  })
})

type Data = {
  result: unknown[]
  groups: { rules: { name: string; health: string; lastError?: string }[] }[]
}

/** Starts a Prometheus with the configuration of the documentation, and gives a way to ask it. */
async function startPrometheus(stack: AsyncDisposableStack, target: string) {
  const folder = await mkdtemp(join(tmpdir(), 'plumbline-prometheus-'))
  const config = parse(textOf('deploy/prometheus/prometheus.yaml'))
  config.global = { scrape_interval: '1s', evaluation_interval: '1s' }
  config.rule_files = [join(ROOT, 'deploy/prometheus/plumbline.rules.yaml')]
  config.scrape_configs[0].static_configs[0].targets = [target]
  await writeFile(join(folder, 'prometheus.yaml'), stringify(config))
  const port = await freePort()
  const server = spawn(
    'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  )
  const ended = once(server, 'exit')
  stack.defer(async () => {
    server.kill('SIGKILL')
    await ended
  })
  const ask = async (path: string, query = ''): Promise<Data> => {
    const address = `http://127.0.0.1:${port}/api/v1/${path}?query=${encodeURIComponent(query)}`
    const { status, error, data } = (await (await fetch(address)).json()) as {
      status: string
      error?: string
      data: Data
    }
    assert.equal(status, 'success', `${query}: ${error}`)
    return data
  }
  return ask
}
