import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cleanText, describeEnd } from './describe-end.ts'

describe('the end of an ffmpeg', () => {
  const ends = [
    { code: 0, signal: null, said: 'Invalid data found', is: 'The camera ended its video.' },
    {
      code: 1,
      signal: null,
      said: "[error] Stream map '0:V:0' matches no streams.\n",
      is: 'The camera sends no video.',
    },
    {
      code: 1,
      signal: null,
      said: "[fatal] Unknown encoder 'libx264'",
      is: 'This ffmpeg cannot encode H.264: it was built without libx264.',
    },
    { code: 1, signal: null, said: '', is: 'ffmpeg failed with code 1.' },
    { code: null, signal: 'SIGSEGV', said: '', is: 'ffmpeg was ended by SIGSEGV.' },
  ]
  for (const { is, ...end } of ends)
    test(`is a sentence: ${is}`, () => assert.equal(describeEnd(end), is))
})

describe('what an ffmpeg said', () => {
  test('is logged without users, passwords and queries', () => {
    assert.equal(
      cleanText('rtsp://admin:p@s/s@10.0.0.1/live?key=a:secret Connection refused\n'),
      'rtsp://***@10.0.0.1/live?*** Connection refused',
    )
  })

  test('is logged without control characters', () => {
    assert.equal(cleanText('one\u001b[31m\r\ntwo\u0000'), 'one [31m \ntwo')
  })
})
