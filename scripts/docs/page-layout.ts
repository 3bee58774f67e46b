import { escapeHtml, type RenderedPage } from './render-page.ts'

export type NavigationPart = { title: string; pages: readonly { title: string; url: string }[] }

export type PagePlace = {
  /** The page's own address, from the top of the site. */
  url: string
  /** The way from the page to the top of the site: `../`, or empty. */
  top: string
  parts: readonly NavigationPart[]
}

/** The HTML of a page: navigation, search, text, its headings, the pages before and after. */
export function layOutPage(page: RenderedPage, { url, top, parts }: PagePlace): string {
  const order = parts.flatMap(({ pages }) => pages)
  const at = order.findIndex((one) => one.url === url)
  const title = at <= 0 ? page.title : `${page.title} · Plumbline`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="stylesheet" href="${top}assets/style.css">
<script src="${top}assets/site.js" defer></script>
<script src="${top}assets/search.js" data-top="${top}" defer></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<a class="name" href="${top}index.html">Plumbline</a>
<div class="search" role="search"><input id="search" type="search" placeholder="Search" aria-label="Search" aria-keyshortcuts="/" title="The key / leads here" autocomplete="off" spellcheck="false"><ol id="found" hidden></ol></div>
<button id="theme" type="button" hidden>Dark</button>
<button id="menu" type="button" aria-controls="navigation" aria-expanded="false">Menu</button>
</header>
<div class="columns">
<nav id="navigation" aria-label="Pages">${parts.map((part) => writePart(part, url, top)).join('')}</nav>
<main id="text">
${page.html}
<nav class="next" aria-label="Before and after">${writeNeighbour(order[at - 1], top, 'before')}${writeNeighbour(order[at + 1], top, 'after')}</nav>
</main>
${writeContents(page)}
</div>
</body>
</html>
`
}

function writePart({ title, pages }: NavigationPart, url: string, top: string): string {
  const isOpen = pages.some((page) => page.url === url) || title === 'Start' || title === 'Guides'
  const items = pages.map(
    (page) =>
      `<li><a href="${top}${page.url}"${page.url === url ? ' aria-current="page"' : ''}>${escapeHtml(page.title)}</a></li>`,
  )
  return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(title)}</summary><ul>${items.join('')}</ul></details>`
}

const writeNeighbour = (
  page: { title: string; url: string } | undefined,
  top: string,
  place: 'before' | 'after',
): string =>
  page === undefined
    ? '<span></span>'
    : `<a class="${place}" href="${top}${page.url}">${escapeHtml(page.title)}</a>`

/** The headings of a page, where there are enough to choose from. */
function writeContents({ headings }: RenderedPage): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (shown.length < 3) return '<aside></aside>'
  const items = shown.map(
    ({ depth, text, anchor }) =>
      `<li class="depth${depth}"><a href="#${anchor}">${escapeHtml(text)}</a></li>`,
  )
  return `<aside><nav aria-label="On this page"><p>On this page</p><ul>${items.join('')}</ul></nav></aside>`
}
