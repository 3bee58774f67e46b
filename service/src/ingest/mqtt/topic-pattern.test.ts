import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseTopicPattern } from './topic-pattern.ts'

const captures = (pattern: string, topic: string) => {
  const found = parseTopicPattern(pattern).match(topic)
  return found === undefined ? undefined : Object.fromEntries(found)
}

describe('parseTopicPattern', () => {
  test('names levels, and asks a broker for any text in their place', () => {
    const pattern = parseTopicPattern('site/{sensor}/+/{key}')

    assert.equal(pattern.filter, 'site/+/+/+')
    assert.deepEqual(pattern.names, ['sensor', 'key'])
    assert.deepEqual(captures('site/{sensor}/+/{key}', 'site/a/b/c'), { sensor: 'a', key: 'c' })
  })

  test('matches as a broker does', () => {
    for (const [pattern, topic, isMatch] of [
      ['a/b', 'a/b', true],
      ['a/b', 'a/B', false],
      ['a/b', 'a/b/c', false],
      ['a/+', 'a/b', true],
      ['a/+', 'a/', true],
      ['a/+', 'a', false],
      ['+', '/a', false],
      ['+/+', '/a', true],
      ['#', 'a/b/c', true],
      ['a/#', 'a', true],
      ['a/#', 'a/b/c', true],
      ['a/#', 'ab', false],
      ['+/#', '$SYS/load', false],
      ['#', '$SYS/load', false],
      ['$SYS/#', '$SYS/load', true],
      ['a/{x}/#', 'a/b', true],
      ['a/{x}/#', 'a', false],
    ] as const)
      assert.equal(captures(pattern, topic) !== undefined, isMatch, `${pattern} ${topic}`)
  })

  test('what a level was filled with comes back under its name', () => {
    const text = fc
      .string({ unit: 'grapheme', maxLength: 6 })
      .map((one) => one.replace(/[/+#{}\0$]/g, 'x'))
    const level = fc.oneof(
      text.map((one) => ({ pattern: one, topic: one })),
      text.map((one) => ({ pattern: '+', topic: one })),
      text.map((one) => ({ pattern: '{}', topic: one })),
    )
    fc.assert(
      fc.property(fc.array(level, { minLength: 1, maxLength: 8 }), (levels) => {
        fc.pre(levels.some(({ pattern }) => pattern !== '') || levels.length > 1)
        const named = levels.map(({ pattern, topic }, at) => ({
          pattern: pattern === '{}' ? `{n${at}}` : pattern,
          topic,
        }))

        const found = captures(
          named.map(({ pattern }) => pattern).join('/'),
          named.map(({ topic }) => topic).join('/'),
        )

        const expected = named.flatMap(({ pattern, topic }) =>
          pattern.startsWith('{') ? [[pattern.slice(1, -1), topic]] : [],
        )
        assert.deepEqual(found, Object.fromEntries(expected))
      }),
    )
  })

  test('refuses what no broker would take, naming the level', () => {
    for (const [text, reason] of [
      ['', 'it is empty'],
      ['a\0b', 'null character'],
      ['a/#/b', 'level 2 "#"'],
      ['a/b#', 'level 2 "b#"'],
      ['a+/b', 'level 1 "a+"'],
      ['a/{x}y', 'level 2 "{x}y"'],
      ['a/{}', 'level 2 "{}"'],
      ['{x}/{x}', 'it has {x} twice'],
      ['$share/g/a', 'a setting of its own'],
      ['a'.repeat(70_000), 'too long'],
    ] as const)
      assert.throws(
        () => parseTopicPattern(text),
        (error: Error) => error.name === 'RefusedError' && error.message.includes(reason),
        text.slice(0, 20),
      )
  })
})
