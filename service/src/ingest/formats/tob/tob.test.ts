import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { runs } from '../../../../test/_random.ts'
import { readAll, rejectedIn, shown, TOA5 } from '../_read.ts'
import { readMapping } from '../mapping.ts'
import {
  FRAME_BYTES,
  STAMP,
  TOB1,
  TOB1_HEADER,
  tob1Record,
  TOB3,
  tob3Frame,
  tob3Header,
  tob3Rows,
} from './_tob.ts'
import { fp2Text, tobField } from './tob-types.ts'

const FLAGS = { empty: 1 << 13, minor: 1 << 14 }
const COMPLEMENT = 0xffff ^ STAMP

describe('the types of Campbell loggers', () => {
  test('FP2 is a sign, a decimal exponent and 13 bits', () => {
    for (const [word, text] of [
      [0x0000, '0'],
      [0x4929, '23.45'],
      [0xc929, '-23.45'],
      [0x2000 | 200, '20.0'],
      [0x6000 | 7999, '7.999'],
      [0x1fff, '"INF"'],
      [0x9fff, '"-INF"'],
      [0x9ffe, '"NAN"'],
    ] as const)
      assert.equal(fp2Text(word), text)
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 7999 }),
        fc.nat(3),
        fc.boolean(),
        (mantissa, decimals, isNegative) => {
          const word = (isNegative ? 0x8000 : 0) | (decimals << 13) | mantissa
          assert.equal(Number(fp2Text(word)), ((isNegative ? -1 : 1) * mantissa) / 10 ** decimals)
        },
      ),
    )
  })

  test('are read in the byte order that each has', () => {
    const bytes = Buffer.from([0x01, 0x02, 0x03, 0x04, 0x40, 0, 0, 0, 0x65, 0, 0x66])
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    for (const [type, at, text] of [
      ['ULONG', 0, String(0x04030201)],
      ['UINT4', 0, String(0x01020304)],
      ['UINT2', 0, String(0x0102)],
      ['LONG', 4, '64'],
      ['IEEE4B', 4, '2'],
      ['BOOL', 4, '-1'],
      ['BOOL', 5, '0'],
      ['BOOL8', 4, '64'],
      ['ASCII(3)', 8, '"e"'],
    ] as const)
      assert.equal(tobField(type)!.text(view, at), text, type)
    assert.equal(tobField('FP9'), undefined)
    assert.equal(tobField('ASCII(0)'), undefined)
  })

  test('a time within a record is written as TOA5 writes it', () => {
    const bytes = Buffer.alloc(8)
    bytes.writeUInt32LE(86_400, 0)
    bytes.writeUInt32LE(50_000_000, 4)

    const text = tobField('SecNano')!.text(new DataView(bytes.buffer, bytes.byteOffset, 8), 0)

    assert.equal(text, '"1990-01-02 00:00:00.05"')
  })
})

describe('TOB1', () => {
  const records = Array.from({ length: 7 }, (_, at) => tob1Record(at, at / 10, 0x2000 | at))
  const file = Buffer.concat([TOB1_HEADER, ...records])

  test('rows have the time of their record, and numbers as TOA5 has them', async () => {
    const batches = await readAll(file, TOB1)

    assert.deepEqual(shown(batches).slice(0, 2), [
      '2026-01-01T00:00:00.000Z x=0 y=0',
      '2026-01-01T00:00:00.050Z x=0.1 y=0.1',
    ])
    assert.equal(shown(batches).length, 7)
    assert.deepEqual(rejectedIn(batches), [])
    assert.equal(batches.at(-1)!.place.offset, file.length)
  })

  test('a value without a number is none, and a record that is cut off is rejected', async () => {
    const cut = Buffer.concat([
      TOB1_HEADER,
      tob1Record(0, NaN, 0x9ffe),
      tob1Record(1, 1, 2).subarray(0, 9),
    ])

    const batches = await readAll(cut, TOB1)

    assert.deepEqual(shown(batches), [])
    assert.equal(batches[0]!.withoutValue, 1)
    assert.deepEqual(rejectedIn(batches), ['7: the file ends within a record: after 9 of 22 bytes'])
  })

  test('from the place of any batch reads the rest, once', async () => {
    const whole = shown(await readAll(file, TOB1))
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.nat(7 * 22),
        fc.integer({ min: 1, max: 64 }),
        async (batchRecords, stop, chunkBytes) => {
          const begun = file.subarray(0, TOB1_HEADER.length + stop)
          const first = await readAll(begun, TOB1, {
            batchRecords,
            chunkBytes,
            takesOpenLine: false,
          })
          const read = first.slice(0, 1 + (stop % first.length))
          const { place } = read.at(-1)!
          const rest = await readAll(file, TOB1, { from: place, chunkBytes })

          assert.deepEqual([...shown(read), ...shown(rest)], whole)
        },
      ),
      { numRuns: runs(100) },
    )
  })
})

const rowsOf = (...indexes: number[]) => indexes.flatMap(tob3Rows)

describe('TOB3', () => {
  const frames = Array.from({ length: 5 }, (_, at) => tob3Frame(at))

  test('rows have the time of their frame and their place in it', async () => {
    const complement = tob3Frame(5, { stamp: COMPLEMENT })

    const batches = await readAll(Buffer.concat([tob3Header(), ...frames, complement]), TOB3)

    assert.deepEqual(shown(batches), rowsOf(0, 1, 2, 3, 4, 5))
    assert.deepEqual(rejectedIn(batches), [])
  })

  test('frames that are not written yet are read once they are', async () => {
    const space = Buffer.alloc(3 * FRAME_BYTES)
    const early = Buffer.concat([tob3Header(), ...frames.slice(0, 2), space])
    const late = Buffer.concat([tob3Header(), ...frames])

    const first = await readAll(early, TOB3, { takesOpenLine: false })
    const rest = await readAll(late, TOB3, { from: first.at(-1)!.place })

    assert.deepEqual(shown(first), rowsOf(0, 1))
    assert.equal(first.at(-1)!.nulBytes, space.length)
    assert.deepEqual(rejectedIn(first), [])
    assert.deepEqual(shown(rest), rowsOf(2, 3, 4))
  })

  test('frames of another table between others, and frames that ended early, are rejected', async () => {
    const foreign = tob3Frame(7, { stamp: 99 })
    const minor = tob3Frame(8, { flags: FLAGS.minor })
    const empty = tob3Frame(9, { flags: FLAGS.empty })
    const parts = [
      tob3Header(),
      tob3Frame(0),
      foreign,
      foreign,
      tob3Frame(1),
      minor,
      empty,
      tob3Frame(2),
    ]

    const batches = await readAll(Buffer.concat([...parts, tob3Frame(3).subarray(0, 5)]), TOB3)

    assert.deepEqual(shown(batches), rowsOf(0, 1, 2))
    const [gap, early, cut, ...others] = rejectedIn(batches)
    assert.equal(
      gap,
      `9: 2 frames without the validation stamp ${STAMP} of the file: damaged, or of another table`,
    )
    assert.match(early!, /^12: the frame was ended early by a change of the clock or the power/)
    assert.equal(cut, `15: the file ends within a frame: after 5 of ${FRAME_BYTES} bytes`)
    assert.deepEqual(others, [])
  })

  test('a table without an interval has one row with a time in each frame', async () => {
    const batches = await readAll(Buffer.concat([tob3Header('0 SEC'), ...frames]), TOB3)

    assert.deepEqual(
      shown(batches),
      [0, 1, 2, 3, 4].map((index) => tob3Rows(index)[0]),
    )
    assert.equal(rejectedIn(batches).length, 5)
    assert.match(rejectedIn(batches)[0]!, /the table has no interval, so the row has no time$/)
  })

  test('a batch ends between frames, and reading continues there', async () => {
    const file = Buffer.concat([tob3Header(), ...frames])
    const whole = await readAll(file, TOB3)
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 5 }),
        fc.nat(9),
        fc.integer({ min: 1, max: 64 }),
        async (batchRecords, stop, chunkBytes) => {
          const first = await readAll(file, TOB3, { batchRecords, chunkBytes })
          const read = first.slice(0, 1 + (stop % first.length))
          const rest = await readAll(file, TOB3, { from: read.at(-1)!.place, chunkBytes })

          assert.deepEqual([...shown(read), ...shown(rest)], shown(whole))
        },
      ),
      { numRuns: runs(60) },
    )
  })
})

test('a header that does not fit is refused by its line', async () => {
  const [tob1, tob3] = [TOB1_HEADER.toString(), tob3Header().toString()]
  for (const [text, mapping, message] of [
    [
      tob3,
      TOB1,
      /^line 1: a TOB1 file begins with "TOB1" in its first column; this is a TOB3 file$/,
    ],
    ['Time;S\n'.repeat(6), TOB3, /^line 1: a TOB3 file begins with "TOB3"/],
    [
      tob1.replace('FP2', 'FP4'),
      TOB1,
      /^line 5: column 5 has the type "FP4", expected one of IEEE4,/,
    ],
    [
      tob1.replace('"Temp",', ''),
      TOB1,
      /^line 5: it has 6 types for 5 columns, expected one for each$/,
    ],
    [
      tob1.replace('"SECONDS"', '"S"'),
      TOB1,
      /^line 2: the table has no columns SECONDS and NANOSECONDS/,
    ],
    [
      tob1.replace('Strain', 'Strian'),
      TOB1,
      /^line 2: the header has no column "Strain" \(did you mean Strian\?\)$/,
    ],
    [
      tob3.replace('50 MSEC', 'often'),
      TOB3,
      /^line 2: the interval is "often", expected such as "50 MSEC"$/,
    ],
    [
      tob3.replace(`"${FRAME_BYTES}"`, '"16"'),
      TOB3,
      /^line 2: a frame has "16" bytes, expected 22 to 1048576$/,
    ],
    [
      tob3.replace(String(STAMP), '65536'),
      TOB3,
      /^line 2: the validation stamp is "65536", expected 0 to 65535$/,
    ],
    [tob3.replace('Sec100Usec', 'Sec'), TOB3, /^line 2: the resolution of frame times is "Sec"/],
    ['x'.repeat(1024 * 1024 + 2), TOB1, /^line 1: the header is longer than 1048576 bytes$/],
  ] as const)
    await assert.rejects(readAll(text, mapping, { chunkBytes: 65_536 }), {
      name: 'RefusedError',
      message,
    })
  await assert.rejects(readAll(TOB1_HEADER, TOA5), {
    message: /this is a TOB1 file, expected "format: tob1" in the mapping$/,
  })
  assert.throws(() => readMapping(`delimiter: ;\n${TOB1}`, 'm.yaml'), {
    message: /m\.yaml:1: delimiter: this has no meaning with the format tob1/,
  })
})

test('damaged anywhere a file is refused or read', async () => {
  const files = [
    [TOB1, Buffer.concat([TOB1_HEADER, tob1Record(0, 1, 2), tob1Record(1, 2, 3)])],
    [TOB3, Buffer.concat([tob3Header(), tob3Frame(0), tob3Frame(1)])],
  ] as const
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...files),
      fc.array(fc.tuple(fc.nat(1000), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      fc.nat(400),
      async ([mapping, whole], changes, cut) => {
        const bytes = Buffer.from(whole.subarray(0, Math.max(1, whole.length - (cut % 40))))
        for (const [at, byte] of changes) bytes[at % bytes.length] = byte
        try {
          await readAll(bytes, mapping, { chunkBytes: 97 })
        } catch (error) {
          assert.equal((error as Error).name, 'RefusedError', String(error))
        }
      },
    ),
    { numRuns: runs(500) },
  )
})
