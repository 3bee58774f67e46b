import { globSync } from 'node:fs'
import { OPERATIONS } from '../../contract/src/index.ts'

/** Of the whole suite: rules and parsers beside their sources, and one HTTP file a noun. */
const FAST = [
  '{contract,client,service}/src/**/*.test.ts',
  ...new Set(OPERATIONS.map(({ noun }) => `service/test/http/${noun}.test.ts`)),
]

const ALL = ['{contract,client,service,bench,examples}/**/*.test.ts']

/** The test files, as paths from the root, whose path has one of the parts; without parts all. */
export function selectFiles(
  root: string,
  { isFast, parts }: { isFast: boolean; parts: readonly string[] },
): string[] {
  const found = globSync(isFast ? FAST : ALL, {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  })
  return found
    .filter((path) => parts.length === 0 || parts.some((part) => path.includes(part)))
    .toSorted()
}
