import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before } from 'node:test'
import {
  chromium,
  type APIRequestContext,
  type Browser,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'
import type { Session } from '../../client/src/index.ts'
import { startDemo, type Demo } from '../../client/test/_demo.ts'
import { needCommand, needPackages } from '../../service/test/_debian.ts'
import { buildConsole } from '../../scripts/console/build-console.ts'

const SIZES = {
  desktop: { width: 1440, height: 900 },
  phone: { width: 390, height: 844 },
  wall: { width: 2560, height: 1440 },
} as const

type PageOptions = {
  /** Behind `#`. */
  address?: string
  language?: 'en' | 'zh'
  theme?: 'light' | 'dark'
  size?: keyof typeof SIZES
  role?: Role | 'nobody'
}

type Role = 'viewer' | 'operator' | 'administrator'
type Cookies = Exclude<BrowserContextOptions['storageState'], string | undefined>

const PASSWORD = 'three quiet bridges'

const SCREENSHOTS = join(import.meta.dirname, '../../build/screenshots')
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A file that follows within this time takes the console of the one before it. */
const REUSE_MILLISECONDS = 500

let shared: Promise<Console> | undefined
let closing: NodeJS.Timeout | undefined

/** The console of a test file: opens it, ends the pages of each test, and closes it. */
export function useConsole(options: { mayHave?: RegExp } = {}): () => Console {
  let current: Console
  before(async () => {
    clearTimeout(closing)
    current = await (shared ??= Console.open())
  })
  afterEach(() => current.endTest(options.mayHave))
  after(() => {
    closing = setTimeout(() => {
      shared = undefined
      void current[Symbol.asyncDispose]()
    }, REUSE_MILLISECONDS)
  })
  return () => current
}

/** The console in Chromium, over the demo site. */
export class Console implements AsyncDisposable {
  readonly #browser: Browser
  readonly #demo: Demo
  readonly #folder: string
  /** The sessions of the roles, each signed in once. */
  readonly #cookies = new Map<Role, Promise<Cookies>>()
  /** Requests to elsewhere, errors of scripts and violations of the policy; each test ends without. */
  readonly #problems: string[] = []

  private constructor(browser: Browser, demo: Demo, folder: string) {
    this.#browser = browser
    this.#demo = demo
    this.#folder = folder
  }

  static async open(): Promise<Console> {
    await needCommand('chromium', 'chromium')
    await needPackages('fonts-wqy-microhei')
    await buildConsole({ onlyChanged: true, print: () => {} })
    const folder = mkdtempSync(join(tmpdir(), 'plumbline-console-'))
    const demo = await startDemo(folder)
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    })
    return new Console(browser, demo, folder)
  }

  get origin(): string {
    return this.#demo.service.origin
  }

  /** Opens a page, signed in as an administrator of the demo site unless told otherwise. */
  async page(options: PageOptions = {}): Promise<Page> {
    const { address = '/', language = 'en', theme = 'light', size = 'desktop' } = options
    const { role = 'administrator' } = options
    const isPhone = size === 'phone'
    const context = await this.#browser.newContext({
      ignoreHTTPSErrors: true,
      viewport: SIZES[size],
      colorScheme: theme,
      locale: language === 'zh' ? 'zh-CN' : 'en-GB',
      hasTouch: isPhone,
      isMobile: isPhone,
      reducedMotion: 'reduce',
      ...(role !== 'nobody' && { storageState: await this.#cookiesOf(role) }),
    })
    const page = await context.newPage()
    page.setDefaultTimeout(10_000)
    this.#watch(page)
    await page.goto(`${this.origin}/console/#${address}`)
    return page
  }

  /** The password of the accounts of the roles; that of the demo is another. */
  get password(): string {
    return PASSWORD
  }

  /** Creates an account for the demo's user; gives its one-time link. */
  async invite(name: string, role: Role): Promise<string> {
    const context = await this.#browser.newContext({
      ignoreHTTPSErrors: true,
      storageState: await this.#cookiesOf('administrator'),
    })
    const body = { name, role, userId: 1, displayName: name }
    const { link = '' } = await this.#post(context.request, '/accounts', body)
    await context.close()
    return link
  }

  /** Saves what the page shows as `build/screenshots/NAME.png`. */
  async screenshot(page: Page, name: string): Promise<void> {
    mkdirSync(SCREENSHOTS, { recursive: true })
    await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`) })
  }

  /** Finds nothing serious with axe, and no page wider than its window. */
  async check(page: Page): Promise<void> {
    await page.evaluate(AXE)
    const found: { id: string; impact: string; nodes: { html: string }[] }[] = await page.evaluate(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
        violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html, failureSummary }) => ({ html: html + ' ' + failureSummary })) })))`,
    )
    const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    assert.deepEqual(
      serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join('\n')}`),
      [],
    )
    assert.ok(
      await page.evaluate('document.documentElement.scrollWidth <= innerWidth'),
      'the page is wider than its window',
    )
  }

  /** Ends the pages of a test, which must have had no problem but those that `mayHave` names. */
  async endTest(mayHave?: RegExp): Promise<void> {
    for (const context of this.#browser.contexts()) await context.close()
    const problems = this.#problems.splice(0)
    assert.deepEqual(mayHave ? problems.filter((one) => !mayHave.test(one)) : problems, [])
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close()
    await this.#demo[Symbol.asyncDispose]()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  #cookiesOf(role: Role): Promise<Cookies> {
    const known = this.#cookies.get(role)
    if (known !== undefined) return known
    const signedIn = this.#signIn(role)
    this.#cookies.set(role, signedIn)
    return signedIn
  }

  /** Signs in with the account of the demo site; the others are invited by it, for the demo's user. */
  async #signIn(role: Role): Promise<Cookies> {
    const isDemo = role === 'administrator'
    const context = await this.#browser.newContext({
      ignoreHTTPSErrors: true,
    })
    const post = (path: string, data: object) => this.#post(context.request, path, data)
    if (isDemo) {
      const { account } = JSON.parse(readFileSync(join(this.#folder, 'demo.json'), 'utf8'))
      await post('/session', account)
    } else {
      const secret = (await this.invite(role, role)).split('/').at(-1)
      await post('/invitations/accept', { secret, password: PASSWORD })
    }
    const cookies = await context.storageState()
    await context.close()
    return cookies
  }

  async #post(request: APIRequestContext, path: string, data: object) {
    const response = await request.post(`${this.origin}/manage/v1${path}`, {
      data,
      headers: { origin: this.origin },
    })
    if (!response.ok()) throw new Error(`${path}: ${await response.text()}`)
    return (await response.json()) as Session & { link?: string }
  }

  #watch(page: Page): void {
    page.on('request', (request) => {
      const url = request.url()
      const isOurs = url.startsWith(this.origin) || /^(blob|data):/.test(url)
      if (!isOurs) this.#problems.push(`request to ${url}`)
    })
    page.on('pageerror', (error) => this.#problems.push(`error: ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        this.#problems.push(`${message.type()}: ${message.text()} ${message.location().url}`)
    })
  }
}
