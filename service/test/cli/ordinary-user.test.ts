import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { makeCertificate, makeKey } from '../../src/http/security/make-certificate.ts'
import { PROGRAM } from '../_program.ts'
import { Workplace, workplace, type Result } from './_cli.ts'

const run = promisify(execFile)

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const TIME_MILLISECONDS = 60_000

/** A workplace that every user can enter: the folder of the test run is closed. */
async function openPlace(): Promise<Workplace> {
  const folder = await mkdtemp('/tmp/plumbline-nobody-')
  await chmod(folder, 0o755)
  return new Workplace(folder)
}

/** Runs a command as a user who owns nothing. */
async function runAsNobody(place: Workplace, ...args: string[]): Promise<Result> {
  const ids = [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
  try {
    const { stdout, stderr } = await run('setpriv', [...ids, process.execPath, PROGRAM, ...args], {
      cwd: place.folder,
      timeout: TIME_MILLISECONDS,
      env: { PATH: process.env['PATH'], HOME: '/nonexistent', PLUMBLINE_OPS_PORT: '0' },
    })
    return { code: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as Error & Result
    return { code, stdout, stderr }
  }
}

/** The lines on standard error that are not of the log. */
const sentencesOf = ({ stderr }: Result): string[] =>
  stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))

function assertOneSentence(result: Result, words: RegExp): void {
  assert.equal(result.code, 1, result.stderr)
  const sentences = sentencesOf(result)
  assert.equal(sentences.length, 1, result.stderr)
  assert.match(sentences[0] ?? '', words)
}

describe('an ordinary user', { skip: isRoot ? false : 'needs root to become another user' }, () => {
  test('who may not write beside the data folder gets one sentence', async () => {
    await using place = await openPlace()

    for (const args of [['serve'], ['key', 'create', '--name', 'x'], ['demo']])
      assertOneSentence(
        await runAsNobody(place, ...args),
        /^EACCES: .*'data': this user has no right to do that\. Run the command as the user that the folder belongs to, .*$/,
      )
  })

  test('who may not write into the data folder gets one sentence', async () => {
    await using place = await openPlace()
    await mkdir(join(place.folder, 'data'), { mode: 0o755 })

    for (const args of [['serve'], ['key', 'create', '--name', 'x']]) {
      const result = await runAsNobody(place, ...args)

      assert.equal(result.code, 1, result.stderr)
      assert.match(result.stderr, /this user cannot write there\. Choose another data folder/)
      assert.doesNotMatch(result.stderr, /^ {4}at /m)
    }
  })

  test('who may not read the data folder gets one sentence, from commands that read too', async () => {
    await using place = await openPlace()
    await place.run(['key', 'create', '--name', 'x'])

    for (const args of [['serve'], ['key', 'list'], ['doctor'], ['migrate', '--dry-run']]) {
      const result = await runAsNobody(place, ...args)

      assert.equal(result.code, 1, result.stderr)
      assert.equal(sentencesOf(result).length, 1, result.stderr)
      assert.doesNotMatch(result.stderr, /^ {4}at /m)
    }
  })

  test('can lock the folder that a command of root has used', async () => {
    await using place = await openPlace()
    await chown(place.folder, NOBODY, NOBODY)
    const lock = join(place.folder, 'data', 'plumbline.lock-use')
    await runAsNobody(place, 'key', 'create', '--name', 'x')
    await rm(lock)

    const { code } = await place.run(['key', 'create', '--name', 'y'])

    assert.equal(code, 0)
    assert.equal((await stat(lock)).uid, NOBODY)
    assert.equal((await runAsNobody(place, 'key', 'list')).code, 0)
  })

  test('gets one sentence for port 443', async (t) => {
    if (await canListen(443)) return t.skip('ordinary users may listen on port 443 here')
    await using place = await openPlace()
    await chown(place.folder, NOBODY, NOBODY)

    assertOneSentence(
      await runAsNobody(place, 'serve', '--host', '127.0.0.1', '--port', '443'),
      /^listen EACCES: .*:443: this user may not listen on this port\. Choose a port of 1024 or above with --port, /,
    )
  })
})

test('a TLS key that does not fit ends the start with one sentence', async () => {
  await using place = await workplace()
  const [key, other] = [await makeKey(), await makeKey()]
  await writeFile(
    join(place.folder, 'c.pem'),
    await makeCertificate(key, Date.now(), ['localhost']),
  )
  await writeFile(join(place.folder, 'k.pem'), other)
  await writeFile(join(place.folder, 'none.pem'), 'no key')

  for (const [file, words] of [
    [
      'k.pem',
      /^http\.key: the file k\.pem is not the key of http\.certificate: the file c\.pem\.$/,
    ],
    ['none.pem', /^http\.key: the file none\.pem is not a PEM private key without a passphrase\.$/],
  ] as const)
    assertOneSentence(
      await place.runProcess(['serve', '--port', '0', '--host', '127.0.0.1'], {
        PLUMBLINE_OPS_PORT: '0',
        PLUMBLINE_HTTP_CERTIFICATE: 'c.pem',
        PLUMBLINE_HTTP_KEY: file,
      }),
      words,
    )
})

/** Whether a user without rights may listen: Linux says from which port on. */
async function canListen(port: number): Promise<boolean> {
  const file = '/proc/sys/net/ipv4/ip_unprivileged_port_start'
  const first = await readFile(file, 'utf8').catch(() => '0')
  return Number(first) <= port
}
