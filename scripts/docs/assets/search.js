// The search box. Nothing is loaded from elsewhere.
const { top: TOP } = document.currentScript.dataset
const input = document.getElementById('search')
const found = document.getElementById('found')
const MOST_RESULTS = 20
const MOST_OF_A_PAGE = 4

const fold = (text) => text.normalize('NFKC').toLowerCase()

let loading
/** The sections of all pages, loaded at the first search: `[address, page, heading, text, weight]`. */
function loadSections() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = `${TOP}assets/sections.js`
    script.addEventListener('load', () => resolve(window.plumblineSections.map(toSection)))
    script.addEventListener('error', reject)
    document.head.append(script)
  })
  return loading
}

const toSection = ([url, page, heading, text, weight]) => ({
  url,
  page,
  heading,
  text,
  weight,
  titles: [fold(page), fold(heading)],
  folded: fold(text),
})

/** How well a section answers: 0 when it lacks a word; headings count more than text. */
function score(section, words) {
  let sum = 0
  for (const word of words) {
    const [page, heading] = section.titles
    const isHeading = heading.includes(word) || (heading === '' && page.includes(word))
    const at = section.folded.indexOf(word)
    if (!isHeading && at < 0 && !page.includes(word)) return 0
    if (isHeading) sum += startsWord(heading === '' ? page : heading, word) ? 12 : 6
    else if (page.includes(word)) sum += 3
    if (at >= 0) sum += startsWord(section.folded, word) ? 2 : 1
  }
  return sum * section.weight
}

const startsWord = (text, word) => {
  const at = text.indexOf(word)
  return at === 0 || (at > 0 && !/[\p{L}\p{N}]/u.test(text[at - 1]))
}

/** A part of the text around the first word, with all words marked. */
function snippet({ text, folded }, words) {
  const at = Math.max(
    0,
    Math.min(...words.map((word) => folded.indexOf(word)).filter((at) => at >= 0)),
  )
  const start = Number.isFinite(at) ? Math.max(0, at - 50) : 0
  const small = document.createElement('small')
  const part = (start > 0 ? '…' : '') + text.slice(start, start + 160)
  const pattern = new RegExp(
    `(${words.map((word) => RegExp.escape?.(word) ?? word.replaceAll(/[^\p{L}\p{N}]/gu, '\\$&')).join('|')})`,
    'giu',
  )
  for (const [index, piece] of part.split(pattern).entries()) {
    if (index % 2 === 0) small.append(piece)
    else {
      const mark = document.createElement('mark')
      mark.append(piece)
      small.append(mark)
    }
  }
  return small
}

function show(results, words) {
  found.replaceChildren(
    ...results.map((section) => {
      const item = document.createElement('li')
      const link = document.createElement('a')
      const title = document.createElement('strong')
      link.href = TOP + section.url
      title.append(section.heading === '' ? section.page : `${section.page}: ${section.heading}`)
      link.append(title, snippet(section, words))
      item.append(link)
      return item
    }),
  )
  if (results.length === 0) {
    const item = document.createElement('li')
    item.className = 'none'
    item.append('No page has all of these words.')
    found.append(item)
  }
  found.hidden = false
}

async function search() {
  const words = fold(input.value).split(/\s+/).filter(Boolean)
  if (words.length === 0) {
    found.hidden = true
    return
  }
  const sections = await loadSections()
  const results = sections
    .map((section) => ({ section, points: score(section, words) }))
    .filter(({ points }) => points > 0)
    .toSorted((a, b) => b.points - a.points)
    .filter(leavesRoom())
    .slice(0, MOST_RESULTS)
  if (fold(input.value).split(/\s+/).filter(Boolean).join(' ') !== words.join(' ')) return
  show(
    results.map(({ section }) => section),
    words,
  )
}

/** Tells which results are shown, so that one page does not hide the others. */
function leavesRoom() {
  const counts = new Map()
  return ({ section: { page } }) => {
    const count = (counts.get(page) ?? 0) + 1
    counts.set(page, count)
    return count <= MOST_OF_A_PAGE
  }
}

/** Moves the choice among the results by a step. */
function choose(step) {
  const links = [...found.querySelectorAll('a')]
  const at = links.findIndex((link) => link.classList.contains('chosen'))
  links[at]?.classList.remove('chosen')
  const next = links[(at + step + links.length) % links.length]
  next?.classList.add('chosen')
  next?.scrollIntoView({ block: 'nearest' })
}

input.addEventListener('input', search)
input.addEventListener('focus', () => void loadSections())
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') choose(1)
  else if (event.key === 'ArrowUp') choose(-1)
  else if (event.key === 'Enter')
    (found.querySelector('.chosen') ?? found.querySelector('a'))?.click()
  else if (event.key === 'Escape') found.hidden = true
  else return
  if (event.key !== 'Escape') event.preventDefault()
})
found.addEventListener('click', () => {
  found.hidden = true
})
document.addEventListener('click', ({ target }) => {
  if (!target.closest('.search')) found.hidden = true
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || /^(?:INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) return
  event.preventDefault()
  input.focus()
})
