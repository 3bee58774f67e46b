import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { readCurl, splitWords } from '../../../scripts/read-curl.ts'
import { runs } from '../_random.ts'

const FORM = 'application/x-www-form-urlencoded'

describe('a curl line', () => {
  test('is read with its method, path, query and body', () => {
    for (const [line, method, url, query, body, contentType] of [
      ['curl -H "A: b" $BASE/x', 'GET', '$BASE/x', {}, undefined, FORM],
      [
        'curl "$BASE/x?display&a=1+2"',
        'GET',
        '$BASE/x',
        { display: '', a: '1 2' },
        undefined,
        FORM,
      ],
      [
        "curl -G $BASE/x \\\n  -d a=1 --data-urlencode 'b=1 + 2&3'\n",
        'GET',
        '$BASE/x',
        { a: '1', b: '1 + 2&3' },
        undefined,
        FORM,
      ],
      ['curl -u "$A:$B" -d a=1 -d b=2 $BASE/x', 'POST', '$BASE/x', {}, 'a=1&b=2', FORM],
      [
        `curl -X PUT -H 'Content-Type: application/json' $BASE/x -d '\n {"a":"b c"}'`,
        'PUT',
        '$BASE/x',
        {},
        '\n {"a":"b c"}',
        'application/json',
      ],
      ['curl $BASE/x --data-binary @file.bin', 'POST', '$BASE/x', {}, undefined, FORM],
      [
        "gzip -c <<'END' | curl -H 'A: b' \\\n  --data-binary @- $BASE/x\na b\nEND\n",
        'POST',
        '$BASE/x',
        {},
        undefined,
        FORM,
      ],
    ] as const)
      assert.deepEqual(readCurl(line), { method, url, query, body, contentType }, line)
  })

  test('with an unknown flag, or without curl, is an error', () => {
    assert.throws(() => readCurl('curl --unknown $BASE/x'), /unknown flag --unknown/)
    assert.throws(() => readCurl('wget $BASE/x'), /no curl line/)
  })

  test('is split into the words that were quoted', () => {
    const word = fc.string().filter((text) => !text.includes("'"))
    fc.assert(
      fc.property(fc.array(word), (words) => {
        const line = words.map((one) => `'${one}'`).join(' \\\n ')
        assert.deepEqual(splitWords(line), words)
      }),
      { numRuns: runs(500) },
    )
  })
})
