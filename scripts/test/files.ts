import { globSync } from 'node:fs'
import { OPERATIONS } from '../../contract/src/index.ts'

/** Of the whole suite: rules and parsers beside their sources, and one HTTP file a noun. */
const FAST = [
  '{contract,client,service,console}/src/**/*.test.ts',
  ...new Set(OPERATIONS.map(({ noun }) => `service/test/http/${noun}.test.ts`)),
]

const ALL = ['{contract,client,service,console,bench,examples,deploy}/**/*.test.ts']

/** These need a cluster of Citus, and run by a command of their own. */
const CITUS = /\.citus\.test\.ts$/

export type Selection = { isFast: boolean; isCitus: boolean; parts: readonly string[] }

/** The test files, as paths from the root, whose path has one of the parts; without parts all. */
export function selectFiles(root: string, { isFast, isCitus, parts }: Selection): string[] {
  const found = globSync(isFast ? FAST : ALL, {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  })
  return found
    .filter((path) => CITUS.test(path) === isCitus)
    .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
    .toSorted()
}
