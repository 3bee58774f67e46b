/**
 * Runs test files under Node's own runner and closes with one line, `N passed, N failed`.
 *
 * Arguments narrow the run: `npm test -- service/src/domain` takes the files whose path has the text;
 * `--fast` takes those of the rules and parsers and one HTTP file a noun. `--deep` repeats random
 * tests and faults more often, and `TEST_SEED` takes back the seed of a run. `--citus` takes the files
 * named `*.citus.test.ts`, which no other run takes.
 */
import { randomInt } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { bundleProgram } from './test/bundle-program.ts'
import { selectFiles } from './test/files.ts'
import { writeGroups } from './test/groups.ts'
import { Report } from './test/report.ts'
import { makeScratchFolder } from './test/scratch-folder.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    fast: { type: 'boolean', default: false },
    deep: { type: 'boolean', default: false },
    citus: { type: 'boolean', default: false },
  },
})
const root = new URL('..', import.meta.url).pathname
const { fast: isFast, citus: isCitus } = values
const files = selectFiles(root, { isFast, isCitus, parts: positionals })
if (files.length === 0) {
  console.error(`No test file has a path with ${positionals.join(' or ')}.`)
  process.exit(2)
}

const scratch = makeScratchFolder()
process.env['TMPDIR'] = scratch
// A server that the tests of the run share ends with this process.
process.env['TEST_RUN_PID'] = String(process.pid)
const seed = (process.env['TEST_SEED'] ??= String(randomInt(2 ** 31)))
if (values.deep) process.env['TEST_DEEP'] = '1'
// Most processes of the tests compile the whole service.
process.env['NODE_COMPILE_CACHE'] ??= `${root}node_modules/.cache/compiled`

process.env['TEST_PROGRAM'] = await bundleProgram(root)

const groups = writeGroups(root, files, scratch)
const stop = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())

const report = new Report(groups, seed)
const stream = run({
  files: [...groups.keys()],
  // More than there are cores: many tests wait for a clock or a process.
  concurrency: availableParallelism() + 4,
  isolation: 'process',
  signal: stop.signal,
  execArgv: ['--import', new URL('test/setup.ts', import.meta.url).href],
})
report.watch(stream)
stream.compose(spec).pipe(process.stdout)
stream.on('end', () => {
  process.on('exit', () => {
    process.stdout.write(report.summary())
    if (!report.isGood) process.exitCode = 1
  })
})
