import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { buildSite } from '../../../scripts/docs/build-site.ts'
import { readBook } from '../../../scripts/docs/book.ts'
import { ChromiumPage } from '../_chromium.ts'
import { eventually } from '../_eventually.ts'
import { freePort } from '../_free-port.ts'
import { filesIn, ROOT } from './_pages.ts'

const folder = mkdtempSync(join(tmpdir(), 'plumbline-docs-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const urls = buildSite(ROOT, folder)
const pages = new Map(urls.map((url) => [url, readFileSync(join(folder, url), 'utf8')]))

/** The values of an attribute in a page. */
const valuesOf = (html: string, attribute: string): string[] =>
  Array.from(html.matchAll(new RegExp(` ${attribute}="([^"]*)"`, 'g')), ([, value = '']) => value)

test('the site has every page of the documentation once', () => {
  const paths = readBook(ROOT).flatMap(({ pages }) => pages)

  assert.equal(new Set(paths).size, paths.length)
  assert.deepEqual(
    filesIn('docs/**/*.md').filter((path) => !paths.includes(path)),
    [],
  )
})

test('every link of the site leads to a file and an anchor of it, and nothing comes from elsewhere', () => {
  const ids = new Map(Array.from(pages, ([url, html]) => [url, new Set(valuesOf(html, 'id'))]))
  const wrong: string[] = []
  for (const [url, html] of pages) {
    for (const address of valuesOf(html, 'href')) {
      if (/^(?:https?|mailto):/.test(address)) continue
      const [path = '', anchor] = address.split('#')
      const target = path === '' ? url : posix.join(posix.dirname(url), path)
      const isPage = ids.has(target)
      const isFound = isPage ? anchor === undefined || ids.get(target)?.has(anchor) : isFile(target)
      if (!isFound) wrong.push(`${url}: ${address}`)
    }
    for (const address of valuesOf(html, 'src'))
      if (!isFile(posix.join(posix.dirname(url), address))) wrong.push(`${url}: ${address}`)
  }

  assert.ok(pages.size > 50)
  assert.deepEqual(wrong, [])
  assert.deepEqual(
    Array.from(
      pages.values(),
      (html) => html.match(/<(?:link|script|img)[^>]*https?:/g) ?? [],
    ).flat(),
    [],
  )
})

test('`npm run docs -- --serve` builds the site and shows it to this machine', async () => {
  const [port, output] = [await freePort(), join(folder, 'served')]
  const args = ['scripts/docs.ts', '--output', output, '--serve', '--port', String(port)]
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'ignore' })

  try {
    const response = await eventually(() => fetch(`http://127.0.0.1:${port}/docs/tutorial.html`))
    assert.match(await response.text(), /First bridge/)
    assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
    assert.equal((await fetch(`http://127.0.0.1:${port}/%2e%2e%2f%2e%2e%2fetc/passwd`)).status, 404)
    assert.equal(await statusOf({ port, path: '//' }), 404)
  } finally {
    child.kill()
  }
})

/** The status of an address as it is written, which fetch would mend. */
async function statusOf(address: { port: number; path: string }): Promise<number | undefined> {
  const [response] = await once(get({ host: '127.0.0.1', ...address }), 'response')
  response.resume()
  return response.statusCode
}

const isFile = (path: string): boolean => {
  try {
    return readFileSync(join(folder, path)).length > 0
  } catch {
    return false
  }
}

test('an opened file searches all pages, in any language, and follows what it found', async () => {
  await using page = await ChromiumPage.open(pathToFileURL(join(folder, 'index.html')).href)
  const search = (words: string) =>
    page.evaluate(
      `document.readyState === 'complete' && (input.value = ${JSON.stringify(words)}, input.dispatchEvent(new Event('input')))`,
    )
  const results = () =>
    page.evaluate<string[]>(
      `[...document.querySelectorAll('#found a')].map((link) => link.getAttribute('href'))`,
    )

  await eventually(async () => {
    await search('石桥')
    assert.match((await results())[0] ?? '', /^docs\/tutorial\.html#/)
  })
  await eventually(async () => {
    await search('qwertyuiop threshold')
    assert.match(
      await page.evaluate<string>(`document.querySelector('#found .note').textContent`),
      /The nearest ones/,
    )
  })
  await page.evaluate(`document.body.style.width = '320px'`)
  assert.ok(await page.evaluate<boolean>(`found.scrollWidth <= found.clientWidth`))
  await eventually(async () => {
    await search('QUIET hours')
    assert.equal((await results())[0], 'docs/notifications.html#quiet-hours')
  })
  await page.evaluate(`document.querySelector('#found a').click()`)

  await eventually(async () => {
    const [href, title] = await page.evaluate<string[]>(`[location.href, document.title]`)
    assert.match(href ?? '', /^file:.*\/docs\/notifications\.html#quiet-hours$/)
    assert.equal(title, 'Notifications · Plumbline')
  })
})

test('a block of an opened file is copied by its button, which the Tab key reaches before the block', async () => {
  await using page = await ChromiumPage.open(pathToFileURL(join(folder, 'docs/tutorial.html')).href)

  const [code, copied] = await eventually(async () => {
    const texts = await page.evaluate<string[]>(`(async () => {
      const figure = document.querySelector('.code')
      const button = figure.querySelector('button')
      let text = ''
      document.addEventListener('copy', () => (text = String(document.activeElement.value)))
      Object.defineProperty(navigator, 'clipboard', { value: undefined })
      button.focus()
      button.click()
      await new Promise((resolve) => setTimeout(resolve, 50))
      const isFirst = button.nextElementSibling.matches('pre[tabindex="0"]')
      return [
        figure.querySelector('code').textContent,
        text,
        button.textContent,
        String(isFirst && document.activeElement === button),
      ]
    })()`)
    assert.deepEqual(texts.slice(2), ['Copied', 'true'])
    return texts
  })

  assert.match(code ?? '', /^npm ci/)
  assert.equal(copied, code)
})
