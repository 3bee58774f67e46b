import { Marked, type Tokens } from 'marked'
import { anchorOf } from './anchor.ts'

export type Heading = { depth: number; text: string; anchor: string }

/** The text below a heading, for the search. */
export type Section = { heading: string; anchor: string; text: string }

export type RenderedPage = {
  title: string
  html: string
  headings: readonly Heading[]
  sections: readonly Section[]
}

type RenderOptions = {
  /** The address of a link on the site; undefined: no link. */
  resolveLink: (href: string) => string | undefined
  /** The rows of its tables are sections of their own. */
  isList?: boolean
}

/** Renders a page of Markdown. */
export function renderPage(
  markdown: string,
  { resolveLink, isList = false }: RenderOptions,
): RenderedPage {
  const headings: Heading[] = []
  const sections: Section[] = []
  const anchors = new Map<string, number>()
  const rowAnchors: string[] = []

  const takeAnchor = (text: string): string => {
    const anchor = anchorOf(text)
    const count = anchors.get(anchor) ?? 0
    anchors.set(anchor, count + 1)
    return count === 0 ? anchor : `${anchor}-${count}`
  }

  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const text = plainText(tokens)
        const anchor = takeAnchor(text)
        headings.push({ depth, text, anchor })
        const link = `<a class="anchor" href="#${anchor}" aria-label="Link to this section">#</a>`
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)} ${link}</h${depth}>\n`
      },
      link({ href, tokens }) {
        const inner = this.parser.parseInline(tokens)
        const target = resolveLink(href)
        return target === undefined ? inner : `<a href="${escapeHtml(target)}">${inner}</a>`
      },
      code({ text, lang }) {
        return renderCode(text, lang ?? '')
      },
      table(token) {
        const ids = isList ? token.rows.map((row) => takeAnchor(nameOf(token, row))) : []
        rowAnchors.push(...ids)
        return renderTable(token, (cell) => this.parser.parseInline(cell.tokens), ids)
      },
      html({ text }) {
        return text.startsWith('<!--') ? '' : escapeHtml(text)
      },
    },
  })

  const tokens = marked.lexer(markdown)
  const html = marked.parser(tokens)
  let at = 0
  const rows: Section[] = []
  for (const token of tokens) {
    const section = sections.at(-1)
    if (token.type === 'heading') {
      const heading = headings[at++]
      if (heading) sections.push({ heading: heading.text, anchor: heading.anchor, text: '' })
    } else if (isList && token.type === 'table') {
      const table = token as Tokens.Table
      for (const row of table.rows) rows.push(toSection(table, row, rowAnchors.shift()))
    } else if (section) section.text = `${section.text} ${plainText([token])}`.trim()
  }
  sections.push(...rows)
  return { title: headings[0]?.text ?? '', html, headings, sections }
}

/** A table of so many columns becomes a list of rows on a narrow screen. */
const MANY_COLUMNS = 4

/** A row by its first cell, and by the next one too where that is its name. */
function nameOf({ header }: Tokens.Table, row: readonly Tokens.TableCell[]): string {
  const isNamed = plainText(header[1]?.tokens ?? []) === 'Name'
  return row
    .slice(0, isNamed ? 2 : 1)
    .map(({ tokens }) => plainText(tokens))
    .join(' ')
}

const toSection = (
  table: Tokens.Table,
  row: readonly Tokens.TableCell[],
  anchor = '',
): Section => ({
  heading: nameOf(table, row),
  anchor,
  text: row
    .slice(1)
    .map(({ tokens }) => plainText(tokens))
    .join(' · '),
})

function renderTable(
  { header, rows }: Tokens.Table,
  renderInline: (cell: Tokens.TableCell) => string,
  ids: readonly string[],
): string {
  const labels = header.map(({ tokens }) => escapeHtml(plainText(tokens)))
  const head = header.map((cell) => `<th>${renderInline(cell)}</th>`).join('')
  const body = rows.map((row, number) => {
    const cells = row.map((cell, at) => `<td data-label="${labels[at]}">${renderInline(cell)}</td>`)
    const id = ids[number]
    return `<tr${id === undefined ? '' : ` id="${id}"`}>${cells.join('')}</tr>`
  })
  const name = header.length < MANY_COLUMNS ? 'table' : 'table many'
  // The wrapper scrolls where the page is narrower than the table.
  return `<div class="${name}"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div>\n`
}

/** What a fence says: `yaml title="site.yaml"` is YAML with a title. */
function renderCode(text: string, info: string): string {
  const [language = ''] = info.split(' ')
  const title = /\btitle="([^"]*)"/.exec(info)?.[1]
  const terminal = /\bterminal="([^"]*)"/.exec(info)?.[1]
  const caption = title ?? (terminal === undefined ? undefined : `terminal: ${terminal}`)
  const head = caption === undefined ? '' : `<figcaption>${escapeHtml(caption)}</figcaption>`
  return `<figure class="code" data-language="${escapeHtml(language)}">${head}<pre tabindex="0"><code>${highlight(text, language)}</code></pre></figure>\n`
}

const COMMENTED = new Set(['sh', 'yaml', 'toml', 'python', 'nginx', 'caddy'])

/** Comments are set apart; nothing else of a language is known here. */
const highlight = (text: string, language: string): string =>
  COMMENTED.has(language)
    ? escapeHtml(text).replaceAll(/(^|\s)(#(?!!).*)$/gm, '$1<span class="comment">$2</span>')
    : escapeHtml(text)

/** Tokens that stand for no text. */
const TEXTLESS = new Set(['html', 'def', 'hr', 'space', 'checkbox'])

/** The text of tokens without marks. */
function plainText(tokens: readonly Tokens.Generic[]): string {
  return tokens.map(textOf).join('').replaceAll(/\s+/g, ' ').trim()
}

function textOf(token: Tokens.Generic): string {
  if (TEXTLESS.has(token.type)) return ''
  if (token.type === 'br') return ' '
  if (token.type === 'table') {
    const rows = [token['header'], ...token['rows']] as Tokens.TableCell[][]
    return rows.map((row) => row.map(({ tokens }) => plainText(tokens)).join(' ')).join(' ')
  }
  if (token.type === 'list')
    return ` ${(token['items'] as Tokens.ListItem[]).map(({ tokens }) => plainText(tokens)).join(' ')} `
  if (token.type === 'paragraph' || token.type === 'blockquote')
    return `${(token.tokens ?? []).map(textOf).join('')} `
  if (token.tokens) return token.tokens.map(textOf).join('')
  return String(token['text'] ?? token.raw)
}

export const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
