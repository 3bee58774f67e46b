import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ingestVibration } from '@plumbline/contract'
import { WaveformMappingFile } from '@plumbline/contract/waveform-mapping'
import { WAVEFORM_READERS } from '../../src/domain/waveforms/read-waveforms.ts'
import { textOf } from './_pages.ts'

const NAMES = ['auto', ...WAVEFORM_READERS.map(({ name }) => name)].toSorted()

/** The texts that a schema takes, in alphabetical order. */
const textsIn = (schema: unknown): string[] =>
  Array.from(
    JSON.stringify(schema).matchAll(/"const":"(\w+)"/g),
    ([, text = '']) => text,
  ).toSorted()

test('the contract takes every format of waveform files that is read, and no other', () => {
  const { format } = ingestVibration.schema.querystring.properties

  assert.deepEqual(textsIn(format), NAMES)
  assert.deepEqual(textsIn(WaveformMappingFile.properties.file), NAMES)
})

test('the page about waveform files has a row for every format', () => {
  const rows = Array.from(
    textOf('docs/waveform-files.md').matchAll(/^\| (\w+) +\| .* \| .* \| .* \| .* \|$/gm),
    ([, name]) => name,
  ).filter((name) => name !== 'Format')

  assert.deepEqual(['auto', ...rows].toSorted(), NAMES)
})
