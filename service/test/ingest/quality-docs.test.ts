import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { parse } from 'yaml'
import { resolveConfig } from '../../src/config/config.ts'
import { QualityFlags } from '../../src/domain/quality/quality-flags.ts'
import { parseQuality, showQuality } from '../../src/domain/quality/quality-text.ts'
import { readMapping } from '../../src/ingest/formats/mapping.ts'
import { isRejection } from '../../src/ingest/records/report.ts'
import { readQuality } from '../../src/ingest/records/read-quality.ts'
import { readValues } from '../../src/ingest/records/read-values.ts'
import { checkTopics } from '../../src/startup/topic-mappings.ts'
import { textOf } from '../spec/_pages.ts'

const PAGE = textOf('docs/quality.md')

const blocks = (language: string): string[] =>
  Array.from(
    PAGE.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs')),
    ([, text = '']) => text,
  )

describe('the page about quality', () => {
  test('has mappings and settings that are accepted', () => {
    const [mapping = '', settings = ''] = blocks('yaml')

    const { targets } = readMapping(mapping, 'm.yaml')
    const sections: unknown = parse(settings)
    const config = resolveConfig({ flags: {}, environment: {}, file: { name: 'x', sections } })

    assert.equal(targets[0]?.columns.filter(({ quality }) => quality !== undefined).length, 2)
    checkTopics(config)
    assert.equal(config['ingest.lineProtocol'][0]?.quality, 'Quality')
  })

  test('has records whose quality is read', () => {
    const itemIndex = new Map([
      ['strain', 0],
      ['temperature', 1],
    ])
    const marks = blocks('json').map((text) => {
      const { values, quality } = JSON.parse(text)
      const read = readValues(values, { itemIndex }, () => 'station 1001')
      assert.ok(!isRejection(read))
      return readQuality(quality, { itemIndex }, read, () => 'station 1001')
    })

    const cut = { quality: 'bad', reason: 'cable cut', origin: 'sender' }
    const doubted = { quality: 'uncertain', reason: '', origin: 'sender' }
    assert.deepEqual(marks, [
      [cut, cut],
      [undefined, doubted],
    ])
  })

  test('says what each written form is read as', () => {
    const [, table = ''] = /\| Form +\|[^]*?\n\|[- |]+\n([^]*?)\n\n/.exec(PAGE) ?? []
    const rows = table.split('\n').slice(1)

    for (const row of rows) {
      const [, forms = '', meaning = ''] = row.split('|')
      const [, expected] = /`(.*?)`/.exec(meaning) ?? []
      for (const [, form = ''] of forms.matchAll(/`(.*?)`/g)) {
        const quality = parseQuality(form)
        if (expected !== undefined) assert.equal(quality && showQuality(quality), expected, form)
        assert.ok(quality !== undefined, form)
      }
    }
    assert.equal(rows.length, 4)
  })

  test('has flags of others that are flags', () => {
    const lists = Array.from(PAGE.matchAll(/`(\{ [^`]*\})`/g), ([, text = '']) => text)

    for (const list of lists) {
      const flags = Object.entries(parse(list) as Record<string, string>)
      const read = new QualityFlags({ flags: Object.fromEntries(flags) })
      assert.ok(flags.length > 2 && flags.every(([flag]) => !('unknown' in read.read(flag))), list)
    }
    assert.equal(lists.length, 3)
  })
})
