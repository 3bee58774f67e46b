// The box of the search. What it searches is loaded when it is needed.
const { top: TOP } = document.currentScript.dataset
const input = document.getElementById('search')
const found = document.getElementById('found')
const EXCERPT_LENGTH = 180

const load = (name) =>
  new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = `${TOP}assets/${name}`
    script.addEventListener('load', resolve)
    script.addEventListener('error', reject)
    document.head.append(script)
  })

let loading
function loadPages() {
  loading ??= Promise.all([load('find.js'), load('sections.js')]).then(() =>
    plumblineFind.index(plumblineSections, plumblineSynonyms),
  )
  return loading
}

function element(name, ...content) {
  const made = document.createElement(name)
  made.append(...content)
  return made
}

const pieces = (text, words, length) =>
  plumblineFind
    .excerpt(text, words, length)
    .map((piece) => (piece.isMarked ? element('mark', piece.text) : piece.text))

function showResult({ section: { url, page, heading, text } }, words) {
  const link = element('a', element('strong', ...pieces(heading || page, words, Infinity)))
  if (heading !== '') link.append(' ', element('span', page))
  link.append(element('small', ...pieces(text, words, EXCERPT_LENGTH)))
  link.href = TOP + url
  return element('li', link)
}

function note(text) {
  const item = element('li', text)
  item.className = 'note'
  return item
}

function show({ results, words }) {
  const items = []
  for (const [at, result] of results.entries()) {
    if (!result.isFull && (at === 0 || results[at - 1].isFull))
      items.push(
        note(at === 0 ? 'No section has all of these words. The nearest ones:' : 'Near ones:'),
      )
    items.push(showResult(result, words))
  }
  if (items.length === 0) items.push(note('Nothing is found. Try another word.'))
  found.replaceChildren(...items)
  found.scrollTop = 0
  found.hidden = false
}

async function search() {
  const query = input.value
  if (query.trim() === '') {
    found.hidden = true
    return
  }
  const pages = await loadPages()
  if (input.value === query) show(plumblineFind.find(pages, query))
}

/** Moves the choice among the results by a step. */
function choose(step) {
  const links = [...found.querySelectorAll('a')]
  const at = links.findIndex((link) => link.classList.contains('chosen'))
  links[at]?.classList.remove('chosen')
  const next =
    links[at < 0 && step < 0 ? links.length - 1 : (at + step + links.length) % links.length]
  next?.classList.add('chosen')
  next?.scrollIntoView({ block: 'nearest' })
}

input.addEventListener('input', search)
input.addEventListener('focus', () => {
  void loadPages()
  if (input.value.trim() !== '') void search()
})
input.addEventListener('keydown', (event) => {
  if (event.isComposing) return
  if (event.key === 'ArrowDown') choose(1)
  else if (event.key === 'ArrowUp') choose(-1)
  else if (event.key === 'Enter')
    (found.querySelector('.chosen') ?? found.querySelector('a'))?.click()
  else if (event.key === 'Escape') found.hidden = true
  else return
  if (event.key !== 'Escape') event.preventDefault()
})
found.addEventListener('click', ({ target }) => {
  if (target.closest('a')) found.hidden = true
})
document.addEventListener('click', ({ target }) => {
  if (!target.closest('.search')) found.hidden = true
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || /^(?:INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) return
  event.preventDefault()
  input.focus()
})
