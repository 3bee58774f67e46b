import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { encodeMiniSeed } from '../../src/domain/waveforms/_miniseed.ts'
import { testFile, textOf } from '../../src/domain/waveforms/_test-files.ts'
import { readWaveforms } from '../../src/domain/waveforms/read-waveforms.ts'
import { SITE } from '../_site.ts'
import { shareService } from '../_suite.ts'

const ONE = 1031
const TWO = 1032
const THREE = 1033

/** Three stations for the channels of a file, in the unit that most of the files have. */
const WIDER = SITE.replace(
  '[{ id: 1031, name: A-01 }]',
  '[{ id: 1031, name: A-01 }, { id: 1032, name: A-02 }, { id: 1033, name: A-03 }]',
).replaceAll('unit: cm/s2', 'unit: g')

const SAC = testFile('20190706031952.CJ.T001230.HNE.sac.gz')
const CSMIP = testFile('CE89146.V1.gz')
const COSMOS = testFile('NP8040-n.1000hyfh.HNE.01.V0c.gz')
const UFF58 = testFile('Sample_UFF58b_bin.uff.gz')

const suite = shareService({ site: WIDER })

beforeEach(async () => {
  for (const station of [ONE, TWO, THREE])
    for (let isDone = false; !isDone;)
      ({ isDone } = await suite.service.storage.retention.expire({
        kind: 'vibration',
        source: station,
        before: 9e15,
        limit: 1_000,
      }))
})

const send = (parameters: Record<string, string>, body: Uint8Array | string) =>
  suite.service.call(`/ingest/v1/vibration?${new URLSearchParams(parameters)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${suite.key}`, 'content-type': 'application/octet-stream' },
    body: typeof body === 'string' ? Buffer.from(body) : body,
  })

const batchesOf = (station: number) =>
  suite.service.storage.waveforms.list({ station, from: 0, to: 9e15, limit: 9_999 })

const countAll = async () =>
  (await Promise.all([ONE, TWO, THREE].map(batchesOf))).reduce((sum, list) => sum + list.length, 0)

const samplesOf = async (station: number): Promise<number[]> => {
  const [batch] = await batchesOf(station)
  const chunks = await Array.fromAsync(suite.service.storage.waveforms.readSamples(batch!))
  return chunks.flatMap((chunk) => [...chunk])
}

describe('a waveform file', () => {
  test('of one channel is stored under its own start, with its theme record', async () => {
    const response = await send({ format: 'auto', station: String(ONE), unit: 'g' }, SAC)

    assert.deepEqual(response.json(), { accepted: 1, replaced: 0, rejected: [], unmapped: [] })
    const [expected] = readWaveforms(SAC)
    const [batch] = await batchesOf(ONE)
    assert.deepEqual(batch?.trigger, {
      time: expected!.start!.milliseconds,
      nanoseconds: expected!.start!.nanoseconds,
    })
    assert.deepEqual(
      [batch.sampleFreq, batch.unit, batch.count],
      ['50', 'g', expected!.samples.length],
    )
    assert.deepEqual(await samplesOf(ONE), [...expected!.samples])
    const query = new URLSearchParams({ stations: String(ONE), limit: '1' })
    const theme = await suite.service.get(`/stations/theme/data?${query}`, suite.token)
    const [{ time }] = theme.json().stations[0].data
    const raw = await suite.service.get(
      `/stations/${ONE}/vibration/raw?${new URLSearchParams({ collectTime: time })}`,
      suite.token,
    )
    assert.equal(raw.json().config.count, expected!.samples.length)
  })

  test('of several channels goes to the stations that its names and numbers are mapped to', async () => {
    const waveforms = readWaveforms(CSMIP)
    const [first, second, third] = waveforms.map(({ channel }) => channel)
    const channels = `${third}:${TWO},1:${ONE}`

    const response = await send({ format: 'csmip', channels }, CSMIP)

    assert.deepEqual(response.json(), {
      accepted: 2,
      replaced: 0,
      rejected: [],
      unmapped: [second],
    })
    assert.ok(first!.includes(':'))
    assert.deepEqual(await samplesOf(ONE), [...waveforms[0]!.samples])
    assert.deepEqual(await samplesOf(TWO), [...waveforms[2]!.samples])
    assert.deepEqual(await batchesOf(THREE), [])
  })

  test('sent again replaces what it stored', async () => {
    const channels = `1:${ONE},2:${TWO},3:${THREE}`
    await send({ format: 'auto', channels }, CSMIP)

    const again = await send({ format: 'auto', channels }, CSMIP)

    assert.deepEqual(again.json(), { accepted: 3, replaced: 3, rejected: [], unmapped: [] })
    assert.equal(await countAll(), 3)
  })

  test('whose channel has gaps is several batches, each at its own instant', async () => {
    const parts = [0, 10, 20].map((second) =>
      encodeMiniSeed({
        samples: [second, 1, 2],
        encoding: 11,
        start: Date.UTC(2024, 2, 1, 0, 0, second),
      }),
    )

    const response = await send(
      { format: 'miniSEED', station: String(ONE), unit: 'g' },
      Buffer.concat(parts),
    )

    assert.equal(response.json().accepted, 3, response.text)
    assert.equal((await batchesOf(ONE)).length, 3)
  })

  test('that does not say its start, rate or unit takes them from the query', async () => {
    const response = await send(
      {
        format: 'CSV',
        channels: `a:${ONE},2:${THREE}`,
        sampleFreq: '100',
        unit: 'g',
        collectTime: '2024-03-01 12:00:00.5',
      },
      'a,b [g]\n1,2\n3,4\n',
    )

    assert.deepEqual(response.json(), { accepted: 2, replaced: 0, rejected: [], unmapped: [] })
    const [batch] = await batchesOf(THREE)
    assert.deepEqual(
      [batch?.trigger.time, batch?.sampleFreq, batch?.unit],
      [Date.parse('2024-03-01T04:00:00.500Z'), '100', 'g'],
    )
  })

  test('with local times has them by the clock of its stations', async () => {
    const rows = ['2024-03-01 12:00:00.000;1', '2024-03-01 12:00:00.010;2']

    const response = await send(
      { format: 'CSV', station: String(ONE), unit: 'g', timeColumn: 't', delimiter: ';' },
      `t;a\n${rows.join('\n')}\n`,
    )

    assert.equal(response.json().accepted, 1, response.text)
    const [batch] = await batchesOf(ONE)
    assert.deepEqual(
      [batch?.trigger.time, batch?.sampleFreq],
      [Date.parse('2024-03-01T04:00:00Z'), '100'],
    )
  })
})

const one = { format: 'auto', station: String(ONE) }
const three = { format: 'auto', channels: `1:${ONE},2:${TWO},3:${THREE}` }
const csv = {
  ...one,
  format: 'CSV',
  unit: 'g',
  sampleFreq: '10',
  collectTime: '2024-03-01 12:00:00',
}
const lateNaN = Buffer.from(
  textOf(CSMIP).replace(/(-?\.?\d+)(\s*\r?\n\/&[^/]*)$/, ' NaN$2'),
  'latin1',
)

describe('a waveform file is refused whole, with an error:', () => {
  for (const [what, parameters, body, reason] of [
    ['cut short', { ...one, unit: 'g' }, SAC.subarray(0, -1), /byte/],
    ['cut short in its last channel', three, CSMIP.subarray(0, -2_000), /line/],
    ['with a sample that is no number', three, lateNaN, /line/],
    ['mislabelled', { ...one, unit: 'g', format: 'WAV' }, SAC, /RIFF/],
    ['of no format', one, 'lorem ipsum', /of no format that is known/],
    ['empty', one, '', /the file is empty/],
    [
      'of a strange format',
      { ...one, format: 'MP3' },
      SAC,
      /"format" must be auto or one of miniSEED, /,
    ],
    [
      'with an encoding too',
      { ...one, encoding: 'float32' },
      SAC,
      /either "format".* or "encoding"/,
    ],
    ['of nobody', { format: 'auto' }, SAC, /expected "station"/],
    ['of two', { ...three, ...one }, SAC, /either "station".* or "channels"/],
    ['of several channels for one station', one, CSMIP, /has 3 channels \(.*expected "channels"/],
    [
      'without the channel',
      { ...three, channels: `9:${ONE}` },
      CSMIP,
      /has no channel "9", expected/,
    ],
    [
      'of a channel mapped twice',
      { ...three, channels: `1:${ONE},1:${TWO}` },
      CSMIP,
      /second time/,
    ],
    [
      'of two channels for one station',
      { ...three, channels: `1:${ONE},2:${ONE}` },
      CSMIP,
      /both begin at/,
    ],
    [
      'of an unknown station',
      { ...three, channels: `1:${ONE},2:9` },
      CSMIP,
      /channel .*station 9 is not known/,
    ],
    [
      'of a map that is none',
      { ...three, channels: 'HNE' },
      CSMIP,
      /must be a list of NAME:STATION, found "HNE"/,
    ],
    ['without a unit', one, SAC, /does not say its unit, expected "unit"/],
    [
      'with another unit',
      { ...three, unit: 'm' },
      CSMIP,
      /the unit in the file is "g", but "unit" is "m"/,
    ],
    [
      'with another rate',
      { ...one, unit: 'g', sampleFreq: '100' },
      SAC,
      /in the file is 50 Hz, but "sampleFreq" is 100/,
    ],
    ['with another count', { ...one, unit: 'g', count: '7' }, SAC, /samples, "count" says 7/],
    [
      'with a time of its own',
      { ...one, unit: 'g', collectTime: '2024-03-01 12:00:00' },
      SAC,
      /leave "collectTime" out/,
    ],
    ['without a time', { ...one, unit: 'Pa' }, UFF58, /when it begins, expected "collectTime"/],
    ['at no time', { ...csv, collectTime: 'noon' }, 'a\n1\n2\n', /collectTime must be/],
    [
      'at an absurd rate',
      { ...csv, sampleFreq: '1e12' },
      'a\n1\n2\n',
      /sample rate is 1000000000000 Hz/,
    ],
    [
      'at a rate that is none',
      { ...csv, sampleFreq: 'fast' },
      'a\n1\n2\n',
      /"sampleFreq" must be a number, not "fast"/,
    ],
    [
      'with a unit without end',
      { ...csv, unit: 'g'.repeat(65) },
      'a\n1\n2\n',
      /is not that of station 1031: "g{59}… does not convert to "g"/,
    ],
  ] as const)
    test(what, async () => {
      const response = await send(parameters, body)

      assert.equal(response.status, 400, response.text)
      assert.equal(response.json().name, 'IngestError')
      assert.match(response.json().message, /^The vibration batch could not be stored: /)
      assert.match(response.json().message, reason)
      assert.equal(await countAll(), 0)
    })

  test('a parameter given twice', async () => {
    const response = await suite.service.call(
      `/ingest/v1/vibration?format=auto&station=1&station=2`,
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${suite.key}`,
          'content-type': 'application/octet-stream',
        },
        body: COSMOS,
      },
    )

    assert.equal(response.status, 400)
    assert.match(response.json().message, /"station" is given more than once/)
  })
})
