// The theme, the menu of narrow screens and the copy buttons.
const menu = document.getElementById('menu')
menu.addEventListener('click', () => {
  const isOpen = document.getElementById('navigation').classList.toggle('open')
  menu.setAttribute('aria-expanded', String(isOpen))
})

const theme = document.getElementById('theme')
const remembered = () => {
  try {
    return localStorage.getItem('plumbline-theme')
  } catch {
    return null
  }
}
function useTheme(name) {
  if (name) document.documentElement.dataset.theme = name
  const isDark = name ? name === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  theme.textContent = isDark ? 'Light' : 'Dark'
  theme.dataset.next = isDark ? 'light' : 'dark'
}
theme.addEventListener('click', () => {
  const name = theme.dataset.next
  useTheme(name)
  try {
    localStorage.setItem('plumbline-theme', name)
  } catch {
    // A browser that keeps nothing shows the theme until the page is left.
  }
})
useTheme(remembered())
theme.hidden = false

document.querySelector('#navigation [aria-current]')?.scrollIntoView({ block: 'nearest' })

/** Pages of a file system and of plain HTTP may have no clipboard; the copy of a selection is everywhere. */
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    area.className = 'skip'
    const last = document.activeElement
    document.body.append(area)
    area.select()
    const isCopied = document.execCommand('copy')
    area.remove()
    last?.focus()
    return isCopied
  }
}

for (const figure of document.querySelectorAll('.code')) {
  const code = figure.querySelector('code')
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  const say = (word) => button.replaceChildren(word)
  button.setAttribute('aria-live', 'polite')
  say('Copy')
  button.addEventListener('click', async () => {
    say((await copy(code.textContent)) ? 'Copied' : 'Press Ctrl+C')
    if (button.textContent !== 'Copied') getSelection().selectAllChildren(code)
    setTimeout(say, 2000, 'Copy')
  })
  // Before the block, so that the Tab key comes to the button first and then to what scrolls.
  figure.querySelector('pre').before(button)
}
