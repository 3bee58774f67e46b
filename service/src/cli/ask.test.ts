import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { describe, test } from 'node:test'
import { questionsOf } from './ask.ts'

const terminal = (isTTY = true) => {
  const streams = { stdin: new PassThrough(), stderr: new PassThrough() }
  for (const stream of Object.values(streams)) Object.assign(stream, { isTTY })
  return streams
}

describe('a question', () => {
  test('is asked on standard error, and its answer is the next line', async () => {
    const streams = terminal()
    const ask = questionsOf(streams, new AbortController().signal)

    const answer = ask?.('Go on? ')
    streams.stdin.write('yes\nno\n')

    assert.equal(await answer, 'yes')
    assert.equal(String(streams.stderr.read()), 'Go on? ')
  })

  test('has an empty answer when the input ends, or the command is stopped', async () => {
    const [ended, stopped] = [terminal(), terminal()]
    const stop = new AbortController()
    const answers = [
      questionsOf(ended, stop.signal)?.('?'),
      questionsOf(stopped, stop.signal)?.('?'),
    ]

    ended.stdin.end()
    assert.equal(await answers[0], '')
    stop.abort()
    assert.equal(await answers[1], '')
  })

  test('cannot be asked without a terminal', () => {
    assert.equal(questionsOf(terminal(false), new AbortController().signal), undefined)
  })
})
