import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { MappingFile } from '@plumbline/contract/mapping'
import { WaveformMappingFile } from '@plumbline/contract/waveform-mapping'
import { readAnyMapping, readMapping } from './mapping.ts'

const page = readFileSync(new URL('../../../../docs/file-import.md', import.meta.url), 'utf8')

test('the page about files names every key of a mapping', () => {
  const keys: string[] = []
  const both = [MappingFile, WaveformMappingFile]
  JSON.parse(JSON.stringify(both), (_key, value: { properties?: object } | null) => {
    keys.push(...Object.keys(value?.properties ?? {}))
    return value
  })

  assert.ok(keys.length > 20)
  assert.deepEqual(
    keys.filter((key) => !page.includes(`\`${key}\``)),
    [],
  )
})

test('the mapping that the page shows is one', () => {
  const [, example = ''] = /```yaml\n([^`]*format: toa5[^`]*)```/.exec(page) ?? []

  assert.equal(readMapping(example, 'm.yaml').targets.length, 2)
})

test('the mapping of waveforms that the page shows is one', () => {
  const [, example = ''] = /```yaml\n([^`]*format: waveform[^`]*)```/.exec(page) ?? []

  const mapping = readAnyMapping(example, 'm.yaml')

  assert.equal('waveforms' in mapping && mapping.waveforms.channels.length, 2)
})

test('a mapping of waveforms is none for rows', () => {
  const text = 'format: waveform\nchannels: [{ channel: a, station: 7 }]\n'

  assert.throws(() => readMapping(text, 'm.yaml'), /expected a mapping of rows$/)
})
