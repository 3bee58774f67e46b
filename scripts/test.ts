/**
 * Runs every test file under Node's own runner and closes with one line, `N passed, N failed`.
 *
 * Arguments narrow the run: `npm test -- service/src/domain` takes the files whose path has the text.
 */
import { globSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'

const wanted = process.argv.slice(2)
const root = new URL('..', import.meta.url).pathname
const files = globSync('{contract,client,service,bench,examples}/**/*.test.ts', {
  cwd: root,
  exclude: (path) => path.includes('node_modules'),
})
  .map((file) => `${root}${file}`)
  .filter(
    (file) => wanted.length === 0 || wanted.some((text) => relative(root, file).includes(text)),
  )
  .toSorted()

if (files.length === 0) {
  console.error(`No test file has a path with ${wanted.join(' or ')}.`)
  process.exit(2)
}

// Each file is a process of its own, and most of them compile the whole service.
process.env['NODE_COMPILE_CACHE'] ??= `${root}node_modules/.cache/compiled`

/** A file that takes longer hangs: it fails by name, and the others go on. */
const FILE_MILLISECONDS = 300_000

// One more than there are cores: many tests wait for a clock or a disk.
const concurrency = availableParallelism() + 1

const stream = run({ files, concurrency, isolation: 'process', timeout: FILE_MILLISECONDS })
let passed = 0
let failed = 0
const isTest = (details: { type?: string }): boolean => details.type !== 'suite'
stream.on('test:pass', ({ details, skip, todo }) => {
  if (!isTest(details)) return
  if (skip !== undefined || todo !== undefined) failed++
  else passed++
})
stream.on('test:fail', ({ details }) => {
  if (isTest(details)) failed++
})
stream.compose(spec).pipe(process.stdout)
stream.on('end', () => {
  process.on('exit', () => {
    const minutes = (performance.now() / 60_000).toFixed(1)
    process.stdout.write(
      `\nThe tests took ${minutes} minutes.\n\n${passed} passed, ${failed} failed\n`,
    )
    if (failed > 0 || passed === 0) process.exitCode = 1
  })
})
