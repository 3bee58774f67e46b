import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { anchorOf } from '../../../scripts/docs/anchor.ts'

/** The top of the checkout. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** Something that a page names, with the place where it does: `docs/ingest.md:12`. */
export type Named = { name: string; place: string }

/** A page of the documentation. */
export type Page = { path: string; links: Named[]; codes: Named[]; headings: string[] }

/** The files of the checkout that match, paths from its top. */
export const filesIn = (pattern: string): string[] =>
  globSync(pattern, { cwd: ROOT, exclude: (path) => /(^|\/)node_modules(\/|$)/.test(path) })

/** The text of a file of the checkout. */
export const textOf = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8')

/** Every page of the checkout. */
export const readPages = (): Page[] => filesIn('**/*.md').map(readPage)

function readPage(path: string): Page {
  const page: Page = { path, links: [], codes: [], headings: [] }
  let isBlock = false
  for (const [index, line] of textOf(path).split('\n').entries()) {
    const place = `${path}:${index + 1}`
    if (line.startsWith('```')) isBlock = !isBlock
    else if (isBlock) page.codes.push({ name: line, place })
    else readLine(page, line, place)
  }
  return page
}

function readLine(page: Page, line: string, place: string): void {
  const heading = /^#+ (.+)$/.exec(line)?.[1]
  if (heading !== undefined) page.headings.push(anchorOf(heading))
  for (const [, name = ''] of line.matchAll(/`([^`]+)`/g)) page.codes.push({ name, place })
  for (const [, name = ''] of line.replaceAll(/`[^`]+`/g, 'code').matchAll(/\]\(([^)\s]+)\)/g))
    page.links.push({ name, place })
}
