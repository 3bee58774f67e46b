import { copyFileSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HOME, LISTS, readBook, readSource, type Part } from './book.ts'
import { layOutPage, type NavigationPart } from './page-layout.ts'
import { renderPage, type RenderedPage } from './render-page.ts'
import { SYNONYMS } from './synonyms.ts'

const ASSETS = fileURLToPath(new URL('assets', import.meta.url))

/** Files that pages link and that a browser shows. Sources are named, not linked. */
const SHOWN = /\.(?:yaml|json|sql)$/

/** How much the words of parts and pages count in the search; those that are not named count 1. */
const WEIGHTS: Readonly<Record<string, number>> = {
  Decisions: 0.3,
  Development: 0.3,
  Concepts: 0.9,
  'docs/settings.md': 0.5,
  'docs/commands.md': 0.7,
  'docs/glossary.md': 0.7,
  'docs/metrics.md': 0.7,
}

/** Builds the pages of the checkout into a folder, which works without a server; returns their addresses. */
export function buildSite(root: string, output: string): string[] {
  const book = readBook(root)
  const paths = book.flatMap(({ pages }) => pages)
  const onSite = new Set(paths)
  const files = new Set<string>()

  const resolve = (from: string, href: string): string | undefined => {
    if (/^[a-z]+:/.test(href) || href.startsWith('#')) return href
    const [path = '', anchor] = href.split('#')
    const target = posix.join(posix.dirname(from), path)
    const hash = anchor === undefined ? '' : `#${anchor}`
    if (onSite.has(target)) return relative(from, urlOf(target)) + hash
    if (!SHOWN.test(target) || !isFile(join(root, target))) return undefined
    files.add(target)
    return relative(from, target)
  }

  const rendered = new Map<string, RenderedPage>(
    paths.map((path) => {
      const resolveLink = (href: string) => resolve(path, href)
      return [path, renderPage(readSource(root, path), { resolveLink, isList: LISTS.has(path) })]
    }),
  )
  const titleOf = (path: string) =>
    path === HOME ? 'Overview' : withoutCodeMarks(rendered.get(path)?.title ?? path)
  const parts: NavigationPart[] = book.map(({ title, pages }) => ({
    title,
    pages: pages.map((path) => ({ title: titleOf(path), url: urlOf(path) })),
  }))

  for (const [path, page] of rendered) {
    const url = urlOf(path)
    write(join(output, url), layOutPage(page, { url, top: topOf(url), parts }))
  }
  for (const file of files) copy(join(root, file), join(output, file))
  for (const name of ['style.css', 'site.js', 'search.js', 'find.js'])
    copy(join(ASSETS, name), join(output, 'assets', name))
  write(join(output, 'assets', 'sections.js'), writeSections(book, rendered, titleOf))
  return paths.map(urlOf)
}

/** The sections of all pages as a script, because a page of a file system may not fetch. */
function writeSections(
  book: readonly Part[],
  rendered: ReadonlyMap<string, RenderedPage>,
  titleOf: (path: string) => string,
): string {
  const sections = book.flatMap(({ title, pages }) =>
    pages.flatMap((path) =>
      (rendered.get(path)?.sections ?? []).map(({ heading, anchor, text }, at) => [
        at === 0 ? urlOf(path) : `${urlOf(path)}#${anchor}`,
        titleOf(path),
        at === 0 ? '' : heading,
        text,
        WEIGHTS[path] ?? WEIGHTS[title] ?? 1,
      ]),
    ),
  )
  return `plumblineSections = ${JSON.stringify(sections)}\nplumblineSynonyms = ${JSON.stringify(SYNONYMS)}\n`
}

const urlOf = (path: string): string =>
  path === HOME ? 'index.html' : path.replace(/\.md$/, '.html')

const topOf = (url: string): string => '../'.repeat(url.split('/').length - 1)

/** The address of a target as a page links it. */
const relative = (from: string, target: string): string => topOf(urlOf(from)) + target

const withoutCodeMarks = (title: string): string => title.replaceAll('`', '')

const isFile = (path: string): boolean => existsSync(path) && statSync(path).isFile()

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function copy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
}
