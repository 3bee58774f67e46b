import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { renderPage } from '../../../scripts/docs/render-page.ts'
import { toSteps } from './_blocks.ts'
import { hasPrinted, isShown } from './_shown.ts'

const fence = (info: string, text = 'x\n') => `\`\`\`${info}\n${text}\`\`\`\n`

const text = (shown: string, printed: string) => isShown({ language: 'text', text: shown }, printed)
const json = (shown: string, printed: string) => isShown({ language: 'json', text: shown }, printed)
const render = (markdown: string) => renderPage(markdown, { resolveLink: (href) => href })

describe('blocks of a page', () => {
  test('are files, runs with what they print, terminals, and those that are skipped with a reason', () => {
    const page = [
      fence('yaml title="site.yaml"'),
      fence('sh', 'echo x\n'),
      fence('text'),
      fence('sh terminal="service"'),
      fence('sh repeat'),
      fence('toml skip="needs Telegraf"'),
    ].join('\n')

    const steps = toSteps(page, 'page.md')

    assert.deepEqual(
      steps.map(({ kind }) => kind),
      ['file', 'run', 'start', 'run', 'skip'],
    )
    assert.partialDeepStrictEqual(steps[1], { text: 'echo x\n', shown: { text: 'x\n' } })
    assert.partialDeepStrictEqual(steps[3], { isRepeated: true, shown: undefined })
  })

  test('a block that says nothing is an error with its place', () => {
    assert.throws(() => toSteps(`\n${fence('yaml')}`, 'page.md'), { message: /^page\.md:2: / })
    assert.throws(() => toSteps(fence('text'), 'page.md'), { message: /^page\.md:1: / })
    assert.throws(() => toSteps(`${fence('sh')}${fence('text')}${fence('json')}`, 'page.md'))
  })
})

describe('what a page shows', () => {
  test('text is compared whole, with … for a part of a line or for lines', () => {
    assert.ok(text('a (b) 1\n', 'a (b) 1\n'))
    assert.ok(text('from … to\n', 'from 1 to\n'))
    assert.ok(text('…\nlast\n', 'first\nsecond\nlast\n'))
    assert.ok(!text('a\n', 'a\nb\n'))
    assert.ok(!text('from … to\n', 'from\nto\n'))
    assert.ok(!text('a.b\n', 'axb\n'))
  })

  test('JSON is compared by its values', () => {
    assert.ok(json('{ "a": [1, "…"] }', '{"a":[1,{"b":2}]}'))
    assert.ok(json('{ "a": "id-…" }', '{"a":"id-7"}'))
    assert.ok(!json('{ "a": 1 }', '{"a":1,"b":2}'))
    assert.ok(!json('{ "a": 1 }', '{"a":2}'))
    assert.ok(!json('{ "a": [1] }', '{"a":{"0":1}}'))
    assert.ok(!json('{ "a": 1 }', 'no JSON'))
  })

  test('a program that goes on has printed the lines somewhere', () => {
    assert.ok(hasPrinted({ text: 'listening\n' }, 'starting\nlistening on 1\n'))
    assert.ok(!hasPrinted({ text: 'listening\n' }, 'starting\n'))
  })
})

describe('a page of the site', () => {
  test('headings of one name have anchors of their own, as readers of Markdown give them', () => {
    const { headings } = render('# A\n\n## `GET /x`: Größe\n\n## B\n\n## B\n')

    assert.deepEqual(
      headings.map(({ anchor }) => anchor),
      ['a', 'get-x-größe', 'b', 'b-1'],
    )
  })

  test('text that looks like HTML is text, and comments are left out', () => {
    const { html } = render('<script>alert(1)</script>\n\n<!-- note -->\n\n`<b>` [x](a"b)\n')

    assert.doesNotMatch(html, /<script|<!--|<b>|href="a"b"/)
    assert.match(html, /&lt;script&gt;/)
  })

  test('a section has the text up to the next heading, tables and lists included', () => {
    const { sections } = render(
      '# A\n\none *two*\n\n| h |\n| - |\n| three |\n\n- four\n\n## B\n\nfive\n',
    )

    assert.deepEqual(
      sections.map(({ text }) => text),
      ['one two h three four', 'five'],
    )
  })
})
