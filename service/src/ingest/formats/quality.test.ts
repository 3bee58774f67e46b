import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readMapping } from './mapping.ts'
import { column, HEADER, readAll, rejectedIn, SENSOR, shown } from './_read.ts'
import { readRow } from './read-rows.ts'
import { TOB1_HEADER, tob1Record } from './tob/_tob.ts'

/** The flags of the US Geological Survey, with those of two other agencies. */
const FLAGS = "flags: { A: good, P: good, e: 'uncertain: estimated', '-': bad }"

const CSV = (columns: string, settings = ''): string =>
  `format: csv\ndelimiter: ;\n${settings}time: { column: Time, format: 'YYYY-MM-DD HH:mm:ss' }\ncolumns:\n${columns}`

/** What is read of cells below a header, without the times: a row for each, then the rejects. */
async function read(header: string, rows: readonly string[], mapping: string) {
  const lines = rows.map((row, at) => `2026-03-01 00:00:0${at};${row}\n`).join('')
  const batches = await readAll(`Time;${header}\n${lines}`, mapping)
  return [
    ...shown(batches).map((row) => row.slice('2026-03-01T00:00:00.000Z '.length)),
    ...rejectedIn(batches),
  ]
}

describe('a column of flags', () => {
  const mapping = CSV(column('level', 'x', `{ column: level_cd, ${FLAGS} }`))

  test('marks the values beside it; the worst of several flags holds', async () => {
    const rows = ['1.5;A', '1.6;A:e', '1.7; e P ', '1.8;-', '1.9;', '2.0;"P,-"']

    assert.deepEqual(await read('level;level_cd', rows, mapping), [
      'x=1.5',
      'x=1.6 (uncertain: estimated)',
      'x=1.7 (uncertain: estimated)',
      'x=1.8 (bad)',
      'x=1.9',
      'x=2 (bad)',
    ])
  })

  test('with a flag that is not named rejects its value, not the others of the row', async () => {
    const two = CSV(column('level', 'x', `{ column: level_cd, ${FLAGS} }`) + column('rain', 'y'))

    const found = await read('level;level_cd;rain', ['1.5;Ice;3', '1.6;A;4'], two)

    assert.deepEqual(found, [
      'y=3',
      'x=1.6 y=4',
      '2: column "level_cd": the flag "Ice" is not among the flags of the mapping',
    ])
  })

  test('gives other flags the quality of otherwise', async () => {
    const others = CSV(
      column(
        'level',
        'x',
        "{ column: level_cd, flags: { A: good }, otherwise: 'bad: not approved' }",
      ),
    )

    assert.deepEqual(await read('level;level_cd', ['1.5;A', '1.6;P', '1.7;'], others), [
      'x=1.5',
      'x=1.6 (bad: not approved)',
      'x=1.7',
    ])
  })

  test('has numbers as flags, as QARTOD does, and a meaning of no flag', async () => {
    const qartod = CSV(
      column(
        'level',
        'x',
        "{ column: 3, flags: { 1: good, 3: uncertain, 4: bad, '': uncertain } }",
      ),
    )

    assert.deepEqual(await read('level;qc', ['1.5;1', '1.6;3', '1.7;4', '1.8;', '1.9;2'], qartod), [
      'x=1.5',
      'x=1.6 (uncertain)',
      'x=1.7 (bad)',
      'x=1.8 (uncertain)',
      '6: column 3: the flag "2" is not among the flags of the mapping',
    ])
  })

  test('says nothing about a cell without a value, and leaves what is no number rejected', async () => {
    const missing = CSV(column('level', 'x', `{ column: level_cd, ${FLAGS} }`), 'missing: [-999]\n')

    assert.deepEqual(await read('level;level_cd', [';Ice', '-999;-', 'Eqp;P'], missing), [
      '4: column "level": "Eqp" is not a number',
    ])
  })

  test('without flags holds qualities as they are written', async () => {
    const written = CSV(column('level', 'x', '{ column: cd }'))
    const rows = ['1.5;', '1.6;bad: cable cut', '1.7;BadSensorFailure', '1.8;GOOD', '1.9;gud']

    assert.deepEqual(await read('level;cd', rows, written), [
      'x=1.5',
      'x=1.6 (bad: cable cut)',
      'x=1.7 (bad: sensorFailure)',
      'x=1.8',
      '6: column "cd": "gud" is no quality, expected good, uncertain or bad, also with a reason (bad: cable cut), or a status code of OPC UA',
    ])
    for (const [settings, problem] of [
      ['{}', /expected flags, or the column of the qualities/],
      ['{ column: cd, otherwise: bad }', /otherwise.* it has no meaning without flags/],
    ] as const)
      assert.throws(() => readMapping(CSV(column('level', 'x', settings)), 'm.yaml'), problem)
  })

  test('may serve several columns, and is found by its name wherever it is', async () => {
    const flag = `{ column: cd, ${FLAGS} }`
    const shared = CSV(column('a', 'x', flag) + column('b', '__proto__', flag))

    assert.deepEqual(await read('cd;b;other;a', ['-;2;3;4'], shared), [
      'x=4 (bad) __proto__=2 (bad)',
    ])
    await assert.rejects(read('a;b', ['1;2'], shared), /the header has no column "cd"/)
  })
})

describe('flags behind the number in a cell', () => {
  const inCell = column('level', 'x', `{ ${FLAGS} }`)

  test('mark the value; flags alone are no value', async () => {
    const rows = ['12.3', '12.3e', '12.3 P', '-1e3-', '+.5 A:e', '4.e', '-', 'A:e', '']

    assert.deepEqual(await read('level', rows, CSV(inCell)), [
      'x=12.3',
      'x=12.3 (uncertain: estimated)',
      'x=12.3',
      'x=-1000 (bad)',
      'x=0.5 (uncertain: estimated)',
      'x=4 (uncertain: estimated)',
    ])
  })

  test('that are not named reject the value', async () => {
    assert.deepEqual(
      await read('level', ['12.3x', 'Ice', '1.2.3', '12,3e', '1e999e'], CSV(inCell)),
      [
        '2: column "level": the flag "x" is not among the flags of the mapping',
        '3: column "level": "Ice" is not a number',
        '4: column "level": "1.2.3" is not a number',
        '5: column "level": "12,3e" is not a number',
        '6: column "level": "1e999e" is not a number',
      ],
    )
  })

  test('never make a number of a date, whatever otherwise says', async () => {
    const otherwise = CSV(column('level', 'x', '{ flags: {}, otherwise: uncertain }'))

    assert.deepEqual(await read('level', ['2026-03-01', '1,5', '7 x', 'x'], otherwise), [
      'x=7 (uncertain)',
      '2: column "level": "2026-03-01" is not a number',
      '3: column "level": "1,5" is not a number: expected "decimalComma: true" in the mapping, or a decimal point',
      '5: column "level": "x" is not a number',
    ])
  })

  test('are read with a decimal comma, a scale and texts for no value', async () => {
    const settings = 'decimalComma: true\nmissing: [-999]\n'
    const scaled = CSV(inCell.replace(' }\n', ', scale: 2 }\n'), settings)

    assert.deepEqual(await read('level', ['1,5e', '-999 P', '1.5e'], scaled), [
      'x=3 (uncertain: estimated)',
      '4: column "level": "1.5e" is not a number',
    ])
  })

  test('are told from the number in every cell that a logger writes', async () => {
    const numbers = fc.double({ noNaN: true, noDefaultInfinity: true })
    const flags = fc.constantFrom('', ' ', 'e', ' e', '-', ' -', ' A:e', 'P')
    await fc.assert(
      fc.asyncProperty(numbers, flags, async (number, flag) => {
        const quality = flag.includes('e')
          ? ' (uncertain: estimated)'
          : flag.includes('-')
            ? ' (bad)'
            : ''
        const [row] = await read('level', [`${number}${flag}`], CSV(inCell))
        assert.equal(row, `x=${number}${quality}`)
      }),
      { numRuns: 200 },
    )
  })
})

test('daily means of the US Geological Survey are read, those under ice as estimated', async () => {
  // Station 03451500, French Broad River at Asheville, NC: "e" was estimated (waterdata.usgs.gov).
  const file = `# This file contains published daily mean streamflow data.
agency_cd\tsite_no\tdv_dt\tdv_va\tdv_cd
5s\t15s\t10d\t12n\t3s
USGS\t03451500\t1895-10-01\t740\t
USGS\t03451500\t1985-01-20\t1100\te
USGS\t03451500\t2000-09-30\t550\t
`
  const mapping = `format: csv
delimiter: tab
headerRow: 2
skipLines: 3
time: { column: dv_dt, format: YYYY-MM-DD }
columns:
${column('dv_va', 'discharge', "{ column: dv_cd, flags: { e: 'uncertain: estimated' } }")}`

  const found = await readAll(file, mapping, { timeZone: 'America/New_York' })

  assert.deepEqual(shown(found), [
    '1895-10-01T05:00:00.000Z discharge=740',
    '1985-01-20T05:00:00.000Z discharge=1100 (uncertain: estimated)',
    '2000-09-30T04:00:00.000Z discharge=550',
  ])
  assert.deepEqual(rejectedIn(found), [])
})

describe('flags in each format', () => {
  const flag = "{ column: Temp, flags: { 21: 'uncertain: warm', 4: bad } }"

  test('TOA5 has them by name', async () => {
    const mapping = `format: toa5\ncolumns:\n${column('Strain', 'x', flag)}`
    const rows = '"2026-03-01 00:00:00",1,5,21\r\n"2026-03-01 00:01:00",2,6,"4"\r\n'

    assert.deepEqual(shown(await readAll(HEADER + rows, mapping)), [
      '2026-03-01T00:00:00.000Z x=5 (uncertain: warm)',
      '2026-03-01T00:01:00.000Z x=6 (bad)',
    ])
  })

  test('TOB1 has them as TOA5 would write them', async () => {
    const mapping = `format: tob1\ncolumns:\n${column('Strain', 'x', "{ column: Temp, flags: { '21.0': uncertain, 4: bad } }")}`
    const records = [tob1Record(0, 5, 0x2000 | 210), tob1Record(1, 6, 4), tob1Record(2, 7, 3)]

    const found = await readAll(Buffer.concat([TOB1_HEADER, ...records]), mapping)

    assert.deepEqual(shown(found), [
      '2026-01-01T00:00:00.000Z x=5 (uncertain)',
      '2026-01-01T00:00:00.050Z x=6 (bad)',
    ])
    assert.match(rejectedIn(found).join(), /column "Temp": the flag "3" is not among the flags/)
  })

  test('mixed arrays have them by number, and a row must reach to them', async () => {
    const mapping = `format: mixedArray\ntime: { year: 2, dayOfYear: 3, hourMinute: 4 }\ncolumns:\n${column(5, 'x', '{ column: 6, flags: { 0: good, 4: bad } }')}`

    const found = await readAll('1,2026,60,0,5,4\n1,2026,60,10,6\n1,2026,60,20,7,0\n', mapping)

    assert.deepEqual(shown(found), [
      '2026-03-01T00:00:00.000Z x=5 (bad)',
      '2026-03-01T00:20:00.000Z x=7',
    ])
    assert.deepEqual(rejectedIn(found), ['2: the row has 5 columns, expected at least 6'])
  })
})

test('a single line is read with its flags below its header, and no quality is said of good values', () => {
  const mapping = readMapping(
    CSV(
      `  - { column: level, station: 7, item: x, quality: { column: cd, ${FLAGS} } }\n${column('rain', 'y')}`,
    ),
    'm.yaml',
  )

  const { raw, theme } = readRow('2026-03-01 00:00:00;1.5;e;3', 'Time;level;cd;rain', {
    mapping: { ...mapping, zone: undefined },
    zoneOf: () => undefined,
  })

  assert.deepEqual(
    theme.map(({ station, quality }) => [station, { ...quality }]),
    [[7, { x: 'uncertain: estimated' }]],
  )
  assert.ok(raw.every((record) => record.sensor === SENSOR && !('quality' in record)))
})
