import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import Sqlite from 'better-sqlite3'
import { needCommand } from '../_debian.ts'
import { SITE } from '../_site.ts'
import { freePort } from '../_service.ts'
import { PROGRAM } from '../_program.ts'
import { workplace, type Workplace } from './_cli.ts'

const run = promisify(execFile)

/** All that is stored, but for what a running service notes of itself. */
function fingerprint(place: Workplace): string {
  const database = new Sqlite(join(place.folder, 'data', 'plumbline.db'), { readonly: true })
  const digest = createHash('sha256')
  const tables = database
    .prepare(
      `select name from sqlite_master where type = 'table'
       and name not in ('tokens', 'clock_state') order by 1`,
    )
    .all() as { name: string }[]
  for (const { name } of tables)
    for (const row of database.prepare(`select * from ${name}`).raw().iterate())
      digest.update(JSON.stringify(row))
  database.close()
  return digest.digest('hex')
}

const linkSecret = (printed: string) => /welcome\/([\w-]{43})/.exec(printed)?.[1] ?? 'never'

describe('serve', () => {
  test('makes the data folder, prints its address, responds, and stops', async () => {
    await using place = await workplace()
    const port = await freePort()

    const service = await place.serve(['--port', String(port)])
    const response = await service.call('/openapi.json')
    const ended = await service.stop()

    assert.equal(service.origin, `https://localhost:${port}`)
    const [listening, invitation] = service.output.stdout.split('\n')
    assert.equal(listening, `listening on https://localhost:${port}`)
    assert.match(
      invitation ?? '',
      /^There is no account yet\. Create the first administrator at: https:\/\/localhost:\d+\/console\/#\/welcome\/[\w-]{43}$/,
    )
    assert.equal(response.status, 200)
    assert.deepEqual(ended, [0, null])
    for (const line of service.output.stderr.trimEnd().split('\n'))
      assert.equal(JSON.parse(line).level, 30, line)
    assert.equal((await stat(join(place.folder, 'data'))).mode & 0o777, 0o700)
  })

  test('the link that it prints makes one administrator, and none once there is an account', async () => {
    await using place = await workplace()
    const earlier = await place.serve(['--port', '0'])
    const replaced = linkSecret(await waitFor(earlier.output, '/welcome/'))
    await earlier.stop()
    const first = await place.serve(['--port', '0'])
    const secret = linkSecret(await waitFor(first.output, '/welcome/'))
    const accept = (name: string, link = secret) =>
      first.call('/manage/v1/invitations/accept', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ secret: link, name, password: 'kites over the weir' }),
      })

    const tooLate = await accept('Mallory', replaced)
    const accepted = await accept('Root')
    const again = await accept('eve')
    await first.stop()
    const second = await place.serve(['--port', '0'])
    await second.stop()

    const { account, userId } = accepted.json()
    assert.deepEqual([account.name, account.role, userId], ['root', 'administrator', null])
    assert.deepEqual([tooLate.status, again.status], [400, 400])
    assert.doesNotMatch(second.output.stdout, /There is no account/)
    assert.doesNotMatch(first.output.stderr, new RegExp(secret))
  })

  test('SIGINT stops it, and it starts again on its data folder', async () => {
    await using place = await workplace()
    await writeFile(join(place.folder, 'site.yaml'), SITE)
    await place.run(['site', 'apply', 'site.yaml'])
    const application = await place.json('app', 'create', '--user', '1')

    const first = await place.serve(['--port', '0'])
    const { token } = (await first.issueToken(application)).json()
    assert.deepEqual(await first.stop('SIGINT'), [0, null])
    const second = await place.serve(['--port', '0'])
    const response = await second.call(`/api/v1/structures?token=${token}`)

    assert.equal(response.status, 200)
    assert.equal(response.json().length, 3)
  })

  test('a port in use is one error with the next step', async () => {
    await using place = await workplace()
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo

    const result = await place.runProcess(
      ['serve', '--host', '127.0.0.1', '--port', String(port)],
      {
        PLUMBLINE_OPS_PORT: '0',
      },
    )
    const ops = await place.runProcess(['serve', '--host', '127.0.0.1', '--port', '0'], {
      PLUMBLINE_OPS_PORT: String(port),
    })
    other.close()

    for (const { code, stdout, stderr } of [result, ops]) {
      assert.equal(code, 1)
      assert.equal(stdout, '')
      assert.match(stderr, new RegExp(`EADDRINUSE.*${port}: another program.*_PORT`))
      assert.ok(!stderr.includes('    at '), stderr)
    }
  })

  test('unknown settings are refused by name, before any file is made', async () => {
    await using place = await workplace()
    await writeFile(join(place.folder, 'p.yaml'), 'http:\n  prot: 1\n')

    for (const [args, environment, words] of [
      [[], { PLUMBLINE_HTTP_PROT: '1' }, 'there is no setting "PLUMBLINE_HTTP_PROT"'],
      [['--config', 'p.yaml'], {}, 'p.yaml:2: there is no setting "http.prot"'],
      [[], { PLUMBLINE_CONFIG: 'p.yaml' }, 'p.yaml:2: there is no setting "http.prot"'],
      [['--config', 'none.yaml'], {}, 'The settings file none.yaml cannot be read: ENOENT.'],
      [[], { PLUMBLINE_STORAGE: 'postgres://x' }, 'The storage URL names no user'],
    ] as const) {
      const { code, stdout, stderr } = await place.runProcess(['serve', ...args], environment)
      assert.equal(code, 1, words)
      assert.equal(stdout, '')
      assert.ok(stderr.includes(words), stderr)
    }
    await assert.rejects(stat(join(place.folder, 'data')), { code: 'ENOENT' })
  })

  test('a wrong flag prints the usage and exits with 2, before any file is made', async () => {
    await using place = await workplace()

    for (const [args, words] of [
      [['--port', 'abc'], '--port must be a port from 0 to 65535\nusage: plumbline serve'],
      [['--port', '70000'], '--port must be a port from 0 to 65535\nusage: plumbline serve'],
      [['--prot', '1'], "Unknown option '--prot'.\nusage: plumbline serve"],
    ] as const) {
      const { code, stdout, stderr } = await place.runProcess(['serve', ...args])

      assert.deepEqual([code, stdout], [2, ''], stderr)
      assert.ok(stderr.startsWith(words), stderr)
    }
    await assert.rejects(stat(join(place.folder, 'data')), { code: 'ENOENT' })
  })

  test('the first lines of the log name the version, the data folder and the addresses', async () => {
    await using place = await workplace()
    await writeFile(join(place.folder, 'p.yaml'), 'log: { level: info }\n')
    const ops = String(await freePort())

    const service = await place.serve(['--port', '0', '--config', 'p.yaml'], {
      PLUMBLINE_OPS_PORT: ops,
    })
    await service.stop()

    const lines = service.output.stderr.trimEnd().split('\n')
    const [created, first, ...others] = lines.map((line) => JSON.parse(line))
    assert.match(created.msg, /^A new database was created/)
    assert.match(first.version, /^\d+\.\d+\.\d+$/)
    assert.deepEqual(
      [first.msg, first.dataFolder, first.settingsFile],
      ['Plumbline starts.', join(place.folder, 'data'), join(place.folder, 'p.yaml')],
    )
    const listening = others.find(({ msg }) => msg === 'Plumbline listens.')
    assert.deepEqual(
      [listening.interface, listening.operations],
      [service.origin.replace('localhost', '127.0.0.1'), `http://127.0.0.1:${ops}`],
    )
  })

  test('the log is readable lines on a terminal', async () => {
    await using place = await workplace()
    await needCommand('script', 'bsdutils')
    const command = `${process.execPath} ${PROGRAM} serve --host 127.0.0.1 --port 0 & sleep 4; kill $!; wait`

    const { stdout } = await run('script', ['-qec', command, '/dev/null'], {
      cwd: place.folder,
      env: { ...process.env, PLUMBLINE_OPS_PORT: '0' },
    })

    assert.match(
      stdout,
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ info {2}Plumbline starts\. \(version: .*, dataFolder: .*\/data, settingsFile: none\)\r$/m,
    )
    assert.match(
      stdout,
      /info {2}Plumbline listens\. \(interface: https:\/\/127\.0\.0\.1:\d+, operations: off\)/,
    )
    assert.doesNotMatch(stdout, /\{"level"/)
  })

  test('--data and PLUMBLINE_DATA set the data folder, the flag first', async () => {
    await using place = await workplace()

    for (const [args, data] of [
      [[], 'by-environment'],
      [['--data', 'by-flag'], 'by-flag'],
    ] as const) {
      const result = await place.runProcess(['key', 'create', '--name', 'logger', ...args], {
        PLUMBLINE_DATA: 'by-environment',
      })
      assert.equal(result.code, 0, result.stderr)
      assert.ok((await stat(join(place.folder, data, 'plumbline.db'))).isFile())
    }
  })
})

describe('serve --demo', () => {
  test('the three curl commands that it prints work, and starting again changes nothing', async () => {
    await needCommand('curl', 'curl')
    await needCommand('ffmpeg', 'ffmpeg')
    await using place = await workplace()
    const port = String(await freePort())
    const first = await place.serve(['--port', port, '--demo'])
    const introduction = await waitFor(first.output, '/\n')
    const lines = introduction.split('\n').filter((line) => /^(TOKEN=\$\()?curl /.test(line))
    const script = `set -euo pipefail\n${lines.join('\necho\n')}\n`

    assert.equal(lines.length, 3)
    const { stdout } = await run('bash', ['-c', script], { cwd: place.folder })
    const [, structures, data] = stdout.split('\n')
    assert.deepEqual(
      JSON.parse(structures!).map(({ id }: { id: number }) => id),
      [101, 102, 103],
    )
    const { stations } = JSON.parse(data!) as { stations: { id: number; data: unknown[] }[] }
    assert.deepEqual(
      stations.map((station) => [station.id, station.data.length]),
      [
        [1001, 3],
        [2101, 3],
      ],
    )

    const [, page = ''] = /^Watch the test picture at: (\S+\/)$/m.exec(introduction) ?? []
    // The first picture of a busy machine may take longer than one request waits.
    const curl = [
      '-s',
      '--retry',
      '4',
      '--cacert',
      join(place.folder, 'data', 'tls', 'certificate.pem'),
    ]
    const playlist = await run('curl', [...curl, `${page}index.m3u8`])
    assert.match(playlist.stdout, /^#EXTM3U\n[^]*\.ts\n$/)

    assert.deepEqual(await first.stop(), [0, null])
    const stored = fingerprint(place)
    const second = await place.serve(['--port', port, '--demo'])
    const again = await waitFor(second.output, '/\n')
    assert.equal(await commandLine(second.pid, secretIn(again)), false)
    await second.stop()

    assert.equal(
      withoutGrant(again.slice(again.indexOf('listening'))),
      withoutGrant(introduction.slice(introduction.indexOf('listening'))),
    )
    assert.ok(!again.includes('loaded'), again)
    assert.equal(fingerprint(place), stored)
    assert.equal((await stat(join(place.folder, 'data', 'demo.json'))).mode & 0o777, 0o600)
    assert.match(introduction, /\n  account: +demo\n  password: +[\w-]{16}\n/)
    for (const { output } of [first, second]) assert.ok(!output.stderr.includes(secretIn(again)))
  })
})

const secretIn = (text: string): string => /application secret: (\w+)/.exec(text)![1]!

/** Whether anybody on the machine can read a text in the process list. */
const commandLine = async (pid: number, text: string): Promise<boolean> =>
  (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes(text)

/** The grant of the page says when it was made. */
const withoutGrant = (text: string) => text.replace(/\/streams\/\S+/, '/streams/GRANT/')

async function waitFor(output: { stdout: string }, end: string): Promise<string> {
  while (!output.stdout.includes(end)) await new Promise((resolve) => setTimeout(resolve, 20))
  return output.stdout
}
