import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { runInThisContext } from 'node:vm'
import { buildSite } from '../../../scripts/docs/build-site.ts'
import { SYNONYMS } from '../../../scripts/docs/synonyms.ts'
import { ROOT } from './_pages.ts'

type Section = { url: string; page: string; heading: string; text: string; weight: number }
type Found = { results: { section: Section; isFull: boolean }[]; words: ReadonlySet<string> }
type Piece = { text: string; isMarked: boolean }
type Finder = {
  index(sections: unknown, synonyms: unknown): { sections: Section[] }
  find(pages: unknown, query: string): Found
  excerpt(text: string, words: ReadonlySet<string>, length: number): Piece[]
}

const folder = mkdtempSync(join(tmpdir(), 'plumbline-search-'))
after(() => rmSync(folder, { recursive: true, force: true }))
buildSite(ROOT, folder)
const load = (name: string) =>
  runInThisContext(readFileSync(join(folder, 'assets', name), 'utf8'), { filename: name })
load('find.js')
load('sections.js')
const finder: Finder = Reflect.get(globalThis, 'plumblineFind')
const pages = finder.index(
  Reflect.get(globalThis, 'plumblineSections'),
  Reflect.get(globalThis, 'plumblineSynonyms'),
)
const find = (query: string): Found => finder.find(pages, query)
const urlsOf = (query: string): string[] => find(query).results.map(({ section }) => section.url)

/** Pages that a reader wants after the others. */
const BACKGROUND = /decisions|settings|architecture|CHANGELOG|CONTRIBUTING/

describe('the search leads', () => {
  const FIRST: Record<string, string> = {
    'quiet hours': 'docs/notifications.html#quiet-hours',
    超限: 'docs/alarm-types.html#3007-value-over-threshold',
    短信: 'docs/notifications.html#text-messages-and-chats',
    sms: 'docs/notifications.html#text-messages-and-chats',
    gmail: 'docs/notifications.html#mail',
    'zero reading': 'docs/site-file.html#drift-and-re-zeroing',
    drift: 'docs/site-file.html#drift-and-re-zeroing',
    're-zero': 'docs/site-file.html#drift-and-re-zeroing',
    'how do I back up': 'docs/backup.html',
    excel: 'docs/file-import.html#the-mapping-file',
    accelerometer: 'docs/waveform-files.html',
    'forgot secret': 'docs/troubleshooting.html#clients-get-401-403-or-429',
    'value over threshold': 'docs/alarm-types.html#3007-value-over-threshold',
    'sensor data interrupted': 'docs/alarm-types.html#3006-sensor-data-interrupted',
    'dtu not connected': 'docs/alarm-types.html#2001-dtu-not-connected',
    plumbline_ready: 'docs/metrics.html#plumbline_ready',
    'ingest.folders': 'docs/settings.html#ingestfolders',
    notifcations: 'docs/notifications.html',
    notif: 'docs/notifications.html',
    ECONNREFUSED: 'docs/troubleshooting.html#errors-of-mail',
    'quite huors': 'docs/notifications.html#quiet-hours',
  }

  for (const [query, url] of Object.entries(FIRST))
    test(`from ${query} to ${url}`, () => {
      assert.equal(urlsOf(query)[0], url, urlsOf(query).slice(0, 3).join(', '))
    })

  test('from several Chinese words without blanks to what has all of them', () => {
    const [first] = find('超限报警怎么设置').results

    assert.equal(first?.isFull, true)
    assert.match(first?.section.url ?? '', /^docs\/(?:site-file|alarm-types)\.html/)
  })

  test('to a word, never into the middle of another one', () => {
    const { words } = find('no')

    assert.ok(words.has('no'))
    assert.deepEqual(
      Array.from(words).filter((word) => !word.startsWith('no')),
      [],
    )
  })

  test('to the nearest sections where none has all words, behind those that have', () => {
    const { results } = find('qwertyuiop thresholds')

    assert.ok(results.length > 0)
    assert.ok(results.every(({ isFull }) => !isFull))
    assert.match(results[0]!.section.heading, /threshold/i)
  })

  test('to guides and the reference before decisions, settings and the code', () => {
    for (const query of ['retention', 'notifications', 'units', 'sealed days', 'webhook', 'mqtt']) {
      const urls = urlsOf(query)
      const first = urls.findIndex((url) => BACKGROUND.test(url))

      assert.notEqual(first, 0, query)
    }
  })

  test('nowhere for words that nothing resembles', () => {
    assert.deepEqual(urlsOf('xyzzyq'), [])
  })
})

test('every text of the synonyms is found on the site', () => {
  const wrong = Object.entries(SYNONYMS).flatMap(([word, texts]) =>
    texts
      .filter((text) => find(text).results[0]?.isFull !== true)
      .map((text) => `${word}: ${text}`),
  )

  assert.deepEqual(wrong, [])
})

test('sections have text without the marks of Markdown', () => {
  const marks = pages.sections.filter(({ text }) =>
    /\]\((?:[a-z-]+\.md|https?:)|\[\w+\]: https?:/.test(text),
  )

  assert.deepEqual(
    marks.map(({ url }) => url),
    [],
  )
})

test('an excerpt shows the words that were sought, whole', () => {
  const { results, words } = find('quiet hours')
  const pieces = finder.excerpt(results[0]!.section.text, words, 180)

  assert.ok(pieces.some(({ isMarked, text }) => isMarked && /^(?:quietHours|hours)$/.test(text)))
  assert.ok(pieces.map(({ text }) => text).join('').length <= 182)
})
