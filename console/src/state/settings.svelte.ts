export type Language = 'en' | 'zh'
export type Theme = 'system' | 'light' | 'dark'

const LANGUAGES: readonly string[] = ['en', 'zh']
const THEMES: readonly string[] = ['system', 'light', 'dark']
const dark = matchMedia('(prefers-color-scheme: dark)')

/** What a person chose in this browser. */
class Settings {
  #language = $state<Language>(initialLanguage())
  #theme = $state<Theme>(read('theme', THEMES, 'system') as Theme)
  #systemIsDark = $state(dark.matches)

  constructor() {
    dark.addEventListener('change', ({ matches }) => {
      this.#systemIsDark = matches
      this.#show()
    })
    this.#show()
  }

  get language(): Language {
    return this.#language
  }

  set language(language: Language) {
    this.#language = language
    this.#keep('language', language)
  }

  get theme(): Theme {
    return this.#theme
  }

  set theme(theme: Theme) {
    this.#theme = theme
    this.#keep('theme', theme)
  }

  get isDark(): boolean {
    return this.#theme === 'dark' || (this.#theme === 'system' && this.#systemIsDark)
  }

  #keep(name: string, value: string): void {
    try {
      localStorage.setItem(`plumbline.${name}`, value)
    } catch {}
    this.#show()
  }

  #show(): void {
    const { dataset } = document.documentElement
    document.documentElement.lang = this.#language === 'zh' ? 'zh-CN' : 'en'
    dataset['theme'] = this.isDark ? 'dark' : 'light'
  }
}

function initialLanguage(): Language {
  const ofBrowser = navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en'
  return read('language', LANGUAGES, ofBrowser) as Language
}

/** A browser may refuse its storage. */
function read(name: string, allowed: readonly string[], fallback: string): string {
  try {
    const value = localStorage.getItem(`plumbline.${name}`) ?? ''
    return allowed.includes(value) ? value : fallback
  } catch {
    return fallback
  }
}

export const settings = new Settings()
