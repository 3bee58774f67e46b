import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findItemChanges } from './item-changes.ts'
import type { StoredItem } from './item-sources.ts'
import { Renames } from './renames.ts'

const item = (text: string): StoredItem => {
  const [key = '', unit = '', id] = text.split(' ')
  return { key, unit, ...(id === undefined ? {} : { id: Number(id) }) }
}

/** Each changed item as `a mm -> b m`, with an exclamation mark where a rename names it; new ones as `+ c`. */
function changesOf(
  before: string[],
  after: string[],
  renames: string[] = [],
  owner = 15,
): string[] {
  const source = { owner, before: before.map(item), after: after.map(item) }
  const { changed, added } = findItemChanges(source, new Renames(renames))
  return [
    ...changed.map(({ from, to, isNamed, newKeys }) =>
      to === undefined
        ? `- ${from.key} (${newKeys.join()})`
        : `${from.key} ${from.unit} -> ${to.key} ${to.unit}${isNamed ? '!' : ''}`,
    ),
    ...added.map(({ key }) => `+ ${key}`),
  ]
}

describe('an item', () => {
  test('without another key or unit has not changed, in any order', () => {
    assert.deepEqual(changesOf(['a mm 1', 'b m 2'], ['b m 2', 'a mm 1']), [])
  })

  test('of the same id is the same one, whatever its key', () => {
    assert.deepEqual(changesOf(['a mm 1', 'b mm 2'], ['b mm 1', 'a mm 2']), [
      'a mm -> b mm',
      'b mm -> a mm',
    ])
    assert.deepEqual(changesOf(['a mm 1'], ['b m 1'], ['a=b']), ['a mm -> b m!'])
  })

  test('without an item of its id is the one with its key', () => {
    assert.deepEqual(changesOf(['a mm 1'], ['a m 9']), ['a mm -> a m!'])
    assert.deepEqual(changesOf(['a mm'], ['a m']), ['a mm -> a m!'])
  })

  test('that is gone is removed, beside those that are new', () => {
    assert.deepEqual(changesOf(['a mm 1'], ['b mm 2']), ['- a (b)', '+ b'])
    assert.deepEqual(changesOf(['a mm', 'b m'], ['b m']), ['- a ()'])
  })

  test('that is gone is a new one where a rename says so', () => {
    assert.deepEqual(changesOf(['a mm', 'x s'], ['c mm', 'b mm'], ['a=b']), [
      'a mm -> b mm!',
      '- x (c)',
      '+ c',
    ])
    assert.deepEqual(changesOf(['a mm'], ['b mm'], ['b=a']), ['- a (b)', '+ b'])
  })
})

describe('a rename', () => {
  test('may name a factor or device, in upper or lower case', () => {
    const uuid = '6f1c1f9e-7c0e-4d0e-9d7a-0c5f6c3b1a01'

    for (const [text, owner, isNamed] of [
      ['a=b', 15, true],
      ['15.a=b', 15, true],
      ['16.a=b', 15, false],
      [`${uuid.toUpperCase()}.a=b`, uuid, true],
      ['15.A=b', 15, false],
    ] as const)
      assert.equal(new Renames([text]).names(owner, 'a', 'b'), isNamed, text)
  })

  test('takes keys with any characters', () => {
    const renames = new Renames(['a=b=c', '15.15.x=.='])

    assert.equal(renames.names(15, 'a', 'b=c'), true)
    assert.equal(renames.names(15, 'a=b', 'c'), true)
    assert.equal(renames.names(15, '15.x', '.='), true)
    assert.equal(renames.names(15, 'a', 'b'), false)
    assert.deepEqual(renames.unused, [])
  })

  test('that names nothing is known', () => {
    const renames = new Renames(['a=b', 'c=d'])
    renames.names(1, 'a', 'b')

    assert.deepEqual(renames.unused, ['c=d'])
  })
})
