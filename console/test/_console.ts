import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before } from 'node:test'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { createClient } from '../../client/src/index.ts'
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
const SCOPES = { viewer: 'read', operator: 'operate', administrator: 'admin' } as const

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
  readonly #token: string
  /** Requests to elsewhere, errors of scripts and violations of the policy; each test ends without. */
  readonly #problems: string[] = []

  private constructor(browser: Browser, demo: Demo, folder: string, token: string) {
    this.#browser = browser
    this.#demo = demo
    this.#folder = folder
    this.#token = token
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
    return new Console(browser, demo, folder, await issueToken(demo))
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
    })
    if (role !== 'nobody') await this.#signIn(context, role)
    const page = await context.newPage()
    page.setDefaultTimeout(10_000)
    this.#watch(page)
    await page.goto(`${this.origin}/console/#${address}`)
    return page
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

  /** Until a service has accounts, its application stands for the session of a browser. */
  async #signIn(context: BrowserContext, role: Role): Promise<void> {
    await context.setExtraHTTPHeaders({ authorization: `Bearer ${this.#token}` })
    const account = {
      id: 1,
      name: 'demo',
      displayName: 'Demo',
      role,
      userId: 1,
      hasTotp: false,
      isDisabled: false,
      createdAt: 0,
      lastSignInAt: null,
    }
    const session = { account, userId: 1, role, scope: SCOPES[role], expiresAt: 4e12 }
    await context.route('**/manage/v1/session', (route) => route.fulfill({ json: session }))
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

async function issueToken({ service, environment }: Demo): Promise<string> {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
  const { APP_ID: applicationId = '', APP_SECRET: applicationSecret = '' } = environment
  const client = createClient({ baseUrl: service.origin, applicationId, applicationSecret })
  return (await client.issueToken()).token
}
