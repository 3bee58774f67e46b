import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { rowsOf as rows } from '../storage/_place.ts'
import { PROGRAM } from '../_program.ts'
import { fill, workplace, type Workplace } from './_cli.ts'

const run = promisify(execFile)

/** Runs a command whose reader is gone before or after its first line: its exit code and errors. */
async function cutOff(place: Workplace, args: string[], reader: string) {
  const words = args.map((word) => `'${word}'`).join(' ')
  const script = `'${process.execPath}' '${PROGRAM}' ${words} | ${reader}; echo "code \${PIPESTATUS[0]}"`
  const { stdout, stderr } = await run('bash', ['-c', script], { cwd: place.folder })
  return { code: /code (\d+)$/m.exec(stdout)?.[1], stderr }
}

const WINDOW = ['--from', '1970-01-01', '--to', '1970-02-01']
const EXPORT = ['export', '--stations', '2001', ...WINDOW, '--format', 'csv', '--output', '-']

test('output that is cut off ends a command quietly', async () => {
  await using place = await workplace()
  await fill(place, async (storage) => {
    const times = Array.from({ length: 40_000 }, (_, at) => at * 60_000)
    await storage.records.write({ theme: rows(2001, times) })
    for (let at = 0; at < 200; at++)
      await storage.ingestKeys.add(`key ${at}`, new Uint8Array(32).fill(at), at)
  })

  for (const args of [
    // All commands print in one of these ways; each takes two processes.
    ['help'],
    ['key', 'list'],
    ['key', 'list', '--json'],
    ['doctor'],
    EXPORT,
  ])
    for (const reader of ['head -n 1', 'true']) {
      const { code, stderr } = await cutOff(place, args, reader)

      const shown = args[0] === 'export' ? stderr.replace(/^-: .*\n|^Skipped .*\n/gm, '') : stderr
      assert.deepEqual([args, reader, code, shown], [args, reader, '0', ''])
    }
})
