import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** A file that takes longer hangs: it fails by name, and the others go on. */
const FILE_MILLISECONDS = 480_000

/** Files of one process. Loading the service takes longer than most files; few lose by one that dies. */
const GROUP_FILES = { source: 24, test: 6 }

/** Folders whose files take longest: they begin first, so that none runs alone at the end. */
const LONGEST = new Set(['service/test/storage', 'service/test/workers'])

/** A file that begins with this measures or changes its process, and has one for itself. */
const OWN_PROCESS = /^\/\/ Own process: /m

/**
 * Writes a program for each process that runs test files, and gives its files by its name.
 *
 * Files beside sources are the shortest: they come last and fill what the others leave.
 */
export function writeGroups(
  root: string,
  files: readonly string[],
  scratch: string,
): Map<string, readonly string[]> {
  const folder = join(scratch, 'groups')
  mkdirSync(folder)
  return new Map(
    groupFiles(root, files).map((group, at) => {
      const program = join(folder, `${at}.mjs`)
      writeFileSync(program, programOf(root, group))
      return [program, group]
    }),
  )
}

const isLong = (file: string): boolean => LONGEST.has(dirname(file))

const isSource = (file: string): boolean => file.includes('/src/')

function groupFiles(root: string, files: readonly string[]): string[][] {
  const isAlone = (file: string): boolean =>
    OWN_PROCESS.test(readFileSync(join(root, file), 'utf8'))
  const alone = files.filter(isAlone)
  const together = files.filter((file) => !alone.includes(file))
  const folders = Map.groupBy(
    together
      .filter((file) => !isSource(file))
      .toSorted((one, other) => Number(isLong(other)) - Number(isLong(one))),
    (file) => dirname(file),
  )
  return [
    ...alone.map((file) => [file]),
    ...[...folders.values()].flatMap((group) => chunk(group, GROUP_FILES.test)),
    ...chunk(together.filter(isSource), GROUP_FILES.source),
  ]
}

function chunk<Item>(items: readonly Item[], size: number): Item[][] {
  const parts = Math.ceil(items.length / size)
  return Array.from({ length: parts }, (_, part) =>
    items.filter((_item, at) => at % parts === part),
  )
}

const programOf = (root: string, files: readonly string[]): string =>
  `import { describe } from 'node:test'
${files
  .map((file) => {
    const url = pathToFileURL(join(root, file)).href
    return `describe(${JSON.stringify(file)}, { timeout: ${FILE_MILLISECONDS} }, () => import(${JSON.stringify(url)}))`
  })
  .join('\n')}
`
