import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WAVEFORM_FORMATS } from '@plumbline/contract'
import { ROW_FORMATS } from '@plumbline/contract/mapping'
import { textOf } from './_pages.ts'

for (const [page, place, text, names] of [
  ['docs/file-import.md', 'row of `format`', /^\| `format` +\|(.*?)\|/m, ROW_FORMATS],
  ['docs/file-import.md', 'row of `file`', /^\| `file` +\|(.*?)\|/m, WAVEFORM_FORMATS],
  [
    'docs/interface.md',
    'sentence on `format`',
    /query has `format`: (.*?) to recognise/,
    [...WAVEFORM_FORMATS, 'auto'],
  ],
] as const)
  test(`${page} names every format in the ${place}, and no other`, () => {
    const [, named = ''] = text.exec(textOf(page)) ?? []
    const found = Array.from(named.matchAll(/`(\w+)`/g), ([, name]) => name)

    assert.deepEqual(found, names, `${page}, ${place}: expected the formats of the contract`)
  })

test('docs/waveform-files.md has a row for every format of waveforms, and no other', () => {
  const rows = Array.from(
    textOf('docs/waveform-files.md').matchAll(/^\| (\w+) +\| .* \| .* \| .* \| .* \|$/gm),
    ([, name]) => name,
  ).filter((name) => name !== 'Format')

  assert.deepEqual(rows, WAVEFORM_FORMATS, 'docs/waveform-files.md: rows of the table of formats')
})
