import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A part of the book: its title, and the paths of its pages from the top of the checkout. */
export type Part = Readonly<{ title: string; pages: readonly string[] }>

/** The paths of pages that a list names without folder and suffix. */
const pathsOf = (names: string): string[] => names.split(/\s+/).map((name) => `docs/${name}.md`)

/** Pages of `docs/` that are looked up; all others there guide. */
const REFERENCE = `interface commands settings site-file alarm-types metrics security units waveform-files
  glossary`

/** Guides in the order in which they are needed; those that are not named follow. */
const GUIDES = `install console guides/campbell guides/geokon guides/lorawan guides/modbus ingest file-import quality
  notifications guides/grafana guides/notebook cameras camera-control media-servers certificates
  guides/reverse-proxy operating watching troubleshooting`

const TUTORIAL = 'tutorial'

/** Pages whose tables are lists of names: the search finds each row. */
export const LISTS: ReadonlySet<string> = new Set(pathsOf('alarm-types glossary metrics'))

const DEVELOPMENT = [
  'CONTRIBUTING.md',
  'docs/architecture.md',
  'client/README.md',
  'bench/results.md',
  'presets/README.md',
  'examples/demo-site/README.md',
  'CHANGELOG.md',
]

/** The first page of the book. */
export const HOME = 'README.md'

/** All pages in the order of reading, by parts. A new page below `docs/` needs no entry. */
export function readBook(root: string): Part[] {
  const there = globSync('docs/**/*.md', { cwd: root }).toSorted()
  const below = (folder: string) => there.filter((path) => path.startsWith(`docs/${folder}/`))
  const present = (names: string) => pathsOf(names).filter((path) => there.includes(path))
  const parts = {
    tutorial: present(TUTORIAL),
    guides: present(GUIDES),
    reference: present(REFERENCE),
    concepts: below('concepts'),
    decisions: below('decisions').toSorted(byContentsFirst),
  }
  const placed = new Set(Object.values(parts).flat())
  return [
    { title: 'Start', pages: [HOME, ...parts.tutorial] },
    {
      title: 'Guides',
      pages: [
        ...parts.guides,
        ...there.filter((path) => !placed.has(path) && !DEVELOPMENT.includes(path)),
      ],
    },
    { title: 'Reference', pages: parts.reference },
    { title: 'Concepts', pages: parts.concepts },
    { title: 'Decisions', pages: parts.decisions },
    { title: 'Development', pages: DEVELOPMENT },
  ]
}

/** The list of a folder before what it lists. */
const byContentsFirst = (a: string, b: string): number =>
  Number(b.endsWith('/README.md')) - Number(a.endsWith('/README.md'))

/** The text of a page or a file of the checkout. */
export const readSource = (root: string, path: string): string =>
  readFileSync(join(root, path), 'utf8')
