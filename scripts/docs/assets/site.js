// The menu of narrow screens, the theme and the copy buttons.
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

if (navigator.clipboard)
  for (const figure of document.querySelectorAll('.code')) {
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = 'Copy'
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(figure.querySelector('code').textContent)
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = 'Copy'
      }, 1500)
    })
    figure.append(button)
  }
